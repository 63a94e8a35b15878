//! Architectural patterns. Names of folders, types and functions propose one; what files use of each other proves it. A pattern
//! without proof in more than one place is not reported: what is called a controller or a plugin need not be one.

mod structure;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use craig_chunk::ChunkKind;

use crate::Analysis;
use crate::dependencies::Place;

use structure::Structure;

/// A pattern that the project follows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pattern {
    /// Its name.
    pub name: Cow<'static, str>,
    /// From 0 to 1: the weight of the signals that were found, of all that would speak for it.
    pub confidence: f64,
    /// The signals that were found.
    pub evidence: Vec<Evidence>,
}

/// One signal with the places that give it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// What was found.
    pub signal: String,
    /// Whether it is about what files use of each other, not about names.
    pub structural: bool,
    /// How many places.
    pub count: usize,
    /// The first of them.
    pub places: Vec<Place>,
}

/// Most places reported for a signal.
const MOST_PLACES: usize = 5;

/// Patterns with less confidence are not reported.
const LEAST_CONFIDENCE: f64 = 0.4;

type Names = &'static [&'static str];

/// What a signal looks for.
enum Look {
    /// Files in a folder with one of the names.
    Folder(Names),
    /// Types whose names end so.
    Type(Names),
    /// Interfaces and traits whose names end so.
    Interface(Names),
    /// Functions whose names begin so.
    Function(Names),
    /// Packages whose names hold one of the words.
    Package(Names),
    /// Files of the first folders use files of the second, and hardly ever the reverse.
    OneWay(Names, Names),
    /// Types whose names end so and that use an interface of another file with such a name, or one that their name ends with.
    Kinds(Names),
    /// Files that use types with such an ending that are defined in other files, and define none themselves.
    Users(Names),
    /// Types called after another one with such an end, beside it or with a use of it: `CartBuilder` of `Cart`.
    Made(Names),
    /// Files of types with the first ends that use types with the second.
    Between(Names, Names),
    /// Files in folders with one of the names that one other file uses together with others of them.
    Together(Names),
    /// Files that both the first and the second folders use.
    Shared(Names, Names),
    /// Files that import a package whose name holds one of the words.
    Imports(Names),
}

impl Look {
    fn is_structural(&self) -> bool {
        !matches!(
            self,
            Self::Folder(_) | Self::Type(_) | Self::Interface(_) | Self::Function(_) | Self::Package(_)
        )
    }
}

/// A signal for a pattern.
struct Signal {
    says: &'static str,
    look: Look,
    /// Places needed.
    least: usize,
    weight: f64,
}

struct Rule {
    name: &'static str,
    signals: &'static [Signal],
    /// Signals needed.
    least: usize,
    /// Structural ones among them.
    proofs: usize,
}

const fn signal(says: &'static str, look: Look, least: usize, weight: f64) -> Signal {
    Signal { says, look, least, weight }
}

use Look::{
    Between, Folder, Function, Imports, Interface, Kinds, Made, OneWay, Package, Shared, Together, Type,
    Users,
};

const MODELS: Names = &["models", "model", "entities", "entity"];
const CONTROLLERS: Names = &["controllers", "controller"];
const SERVICES: Names =
    &["services", "service", "application", "usecases", "use_cases", "usecase", "business"];
const DOMAIN: Names = &["domain", "domains", "entities", "models", "model"];
const INFRASTRUCTURE: Names = &[
    "infrastructure",
    "infra",
    "persistence",
    "repositories",
    "repository",
    "dao",
    "database",
    "db",
    "storage",
];
const PRESENTATION: Names = &[
    "presentation",
    "ui",
    "views",
    "pages",
    "web",
    "api",
    "rest",
    "http",
    "controllers",
    "controller",
    "routes",
    "handlers",
    "cli",
];
const PLUGINS: Names = &["plugins", "plugin", "extensions", "addons", "integrations"];
const CORE: Names = &["core", "kernel", "runtime"];

const VIEWS: Names = &["views", "templates", "view"];
const CLIENTS: Names = &["client", "clients", "frontend"];
const SERVERS: Names = &["server", "servers", "backend"];
const REPOSITORIES: Names = &["Repository", "Dao", "DAO"];
const EXTENSIONS: Names = &["Plugin", "Extension"];
const STRATEGIES: Names = &["Strategy", "Policy"];
const LISTENERS: Names = &["Listener", "Subscriber", "Observer", "EventHandler"];
const BUSES: Names = &["EventBus", "EventEmitter", "EventDispatcher", "MessageBus", "EventPublisher"];
const STAGES: Names = &["Stage", "Step", "Pass", "Phase"];
const CHAINS: Names = &["Pipeline", "Chain"];
const MIDDLEWARE: Names = &["Middleware", "Interceptor"];
const INJECTORS: Names = &["Injector", "ServiceContainer", "ServiceProvider", "ServiceCollection"];
const INJECTION: Names = &[
    "spring",
    "guice",
    "dagger",
    "inversify",
    "nestjs",
    "autofac",
    "koin",
    "hilt",
    "wire",
    "DependencyInjection",
];

const RULES: &[Rule] = &[
    Rule {
        name: "mvc",
        least: 3,
        proofs: 1,
        signals: &[
            signal("folder of models", Folder(MODELS), 1, 0.15),
            signal("folder of views", Folder(VIEWS), 1, 0.2),
            signal("folder of controllers", Folder(CONTROLLERS), 2, 0.2),
            signal("types called …Controller", Type(&["Controller"]), 2, 0.1),
            signal("controllers use models, not the other way round", OneWay(CONTROLLERS, MODELS), 2, 0.35),
        ],
    },
    Rule {
        name: "layered",
        least: 4,
        proofs: 1,
        signals: &[
            signal("a layer of presentation", Folder(PRESENTATION), 2, 0.15),
            signal("a layer of services", Folder(SERVICES), 2, 0.15),
            signal("a layer of the domain", Folder(DOMAIN), 2, 0.15),
            signal("a layer of storage", Folder(INFRASTRUCTURE), 2, 0.15),
            signal(
                "presentation uses services, not the other way round",
                OneWay(PRESENTATION, SERVICES),
                2,
                0.2,
            ),
            signal("services use storage, not the other way round", OneWay(SERVICES, INFRASTRUCTURE), 2, 0.2),
        ],
    },
    Rule {
        name: "hexagonal",
        least: 3,
        proofs: 1,
        signals: &[
            signal("folder of ports", Folder(&["ports", "port"]), 1, 0.2),
            signal("folder of adapters", Folder(&["adapters", "adapter"]), 2, 0.2),
            signal("interfaces called …Port", Interface(&["Port"]), 1, 0.1),
            signal("types called …Adapter", Type(&["Adapter"]), 2, 0.1),
            signal(
                "adapters use ports, not the other way round",
                OneWay(&["adapters", "adapter"], &["ports", "port"]),
                2,
                0.2,
            ),
            signal(
                "adapters use the domain, not the other way round",
                OneWay(&["adapters", "adapter", "infrastructure"], DOMAIN),
                2,
                0.2,
            ),
        ],
    },
    Rule {
        name: "repository",
        least: 2,
        proofs: 1,
        signals: &[
            signal("types called …Repository or …Dao", Type(REPOSITORIES), 2, 0.3),
            signal("folder of repositories", Folder(&["repositories", "repository", "dao"]), 2, 0.1),
            signal("files that use a repository", Users(REPOSITORIES), 2, 0.4),
            signal("repositories that implement another one", Kinds(REPOSITORIES), 1, 0.2),
        ],
    },
    Rule {
        name: "factory",
        least: 2,
        proofs: 2,
        signals: &[
            signal("types called …Factory", Type(&["Factory"]), 2, 0.3),
            signal("files that use a factory", Users(&["Factory"]), 2, 0.2),
            signal("factories of a type that they use", Made(&["Factory"]), 2, 0.25),
            signal("factories that implement another one", Kinds(&["Factory"]), 2, 0.25),
        ],
    },
    Rule {
        name: "builder",
        least: 2,
        proofs: 1,
        signals: &[
            signal("types called …Builder", Type(&["Builder"]), 2, 0.4),
            signal("builders of a type that they use", Made(&["Builder"]), 2, 0.6),
        ],
    },
    Rule {
        name: "plugin",
        least: 2,
        proofs: 1,
        signals: &[
            signal("folder of plugins", Folder(PLUGINS), 2, 0.2),
            signal("types called …Plugin or …Extension", Type(EXTENSIONS), 2, 0.15),
            signal(
                "functions that register or load plugins",
                Function(&[
                    "register_plugin",
                    "registerPlugin",
                    "load_plugin",
                    "loadPlugin",
                    "use_plugin",
                    "usePlugin",
                    "addPlugin",
                    "add_plugin",
                ]),
                1,
                0.15,
            ),
            signal("plugins that implement another one", Kinds(EXTENSIONS), 2, 0.25),
            signal("plugins that one file loads together", Together(PLUGINS), 3, 0.25),
        ],
    },
    Rule {
        name: "event-driven",
        least: 3,
        proofs: 1,
        signals: &[
            signal("types called …Event", Type(&["Event"]), 3, 0.2),
            signal("types called …Listener, …Subscriber or …Observer", Type(LISTENERS), 2, 0.1),
            signal("an event bus, emitter or dispatcher", Type(BUSES), 1, 0.1),
            signal(
                "functions that publish or subscribe",
                Function(&[
                    "publish",
                    "subscribe",
                    "emit",
                    "dispatch",
                    "on_event",
                    "onEvent",
                    "addListener",
                    "add_listener",
                ]),
                3,
                0.1,
            ),
            signal("listeners use events", Between(LISTENERS, &["Event"]), 2, 0.25),
            signal("files that use an event bus", Users(BUSES), 3, 0.25),
        ],
    },
    Rule {
        name: "client-server",
        least: 4,
        proofs: 1,
        signals: &[
            signal("files of a server", Folder(SERVERS), 2, 0.2),
            signal("files of a client", Folder(CLIENTS), 2, 0.2),
            signal("types called …Server", Type(&["Server"]), 1, 0.15),
            signal("types called …Client", Type(&["Client"]), 1, 0.15),
            signal("files that server and client share", Shared(SERVERS, CLIENTS), 2, 0.3),
        ],
    },
    Rule {
        name: "pipeline",
        least: 2,
        proofs: 2,
        signals: &[
            signal("types called …Pipeline or …Chain", Type(CHAINS), 1, 0.2),
            signal("types called …Stage, …Step, …Pass or …Phase", Type(STAGES), 3, 0.2),
            signal("stages that implement another one", Kinds(STAGES), 2, 0.3),
            signal("pipelines use stages", Between(CHAINS, STAGES), 2, 0.3),
        ],
    },
    Rule {
        name: "middleware",
        least: 2,
        proofs: 1,
        signals: &[
            signal("types called …Middleware or …Interceptor", Type(MIDDLEWARE), 2, 0.3),
            signal("folder of middleware", Folder(&["middleware", "middlewares", "interceptors"]), 2, 0.2),
            signal("files that use middleware", Users(MIDDLEWARE), 2, 0.2),
            signal(
                "middleware that one file uses together",
                Together(&["middleware", "middlewares", "interceptors"]),
                2,
                0.3,
            ),
        ],
    },
    Rule {
        name: "microkernel",
        least: 3,
        proofs: 1,
        signals: &[
            signal("a core", Folder(CORE), 2, 0.2),
            signal("plugins around it", Folder(PLUGINS), 2, 0.2),
            signal("plugins use the core, not the other way round", OneWay(PLUGINS, CORE), 2, 0.6),
        ],
    },
    Rule {
        name: "component-based-ui",
        least: 3,
        proofs: 2,
        signals: &[
            signal("folder of components", Folder(&["components", "widgets"]), 3, 0.2),
            signal(
                "files that import a package for components",
                Imports(&["react", "vue", "svelte", "angular", "preact", "solid-js", "lit"]),
                2,
                0.3,
            ),
            signal("folder of pages or views", Folder(&["pages", "views", "screens"]), 2, 0.1),
            signal("components that one file uses together", Together(&["components", "widgets"]), 2, 0.4),
        ],
    },
    Rule {
        name: "dependency-injection",
        least: 2,
        proofs: 1,
        signals: &[
            signal("a container or injector", Type(INJECTORS), 1, 0.2),
            signal("a package for injection", Package(INJECTION), 1, 0.1),
            signal("files that use a container or injector", Users(INJECTORS), 3, 0.3),
            signal("files that import a package for injection", Imports(INJECTION), 2, 0.4),
        ],
    },
    Rule {
        name: "strategy",
        least: 2,
        proofs: 2,
        signals: &[
            signal("types called …Strategy or …Policy", Type(STRATEGIES), 3, 0.3),
            signal("strategies that implement another one", Kinds(STRATEGIES), 2, 0.4),
            signal("files that use a strategy", Users(STRATEGIES), 2, 0.3),
        ],
    },
    Rule {
        name: "visitor",
        least: 3,
        proofs: 1,
        signals: &[
            signal("types called …Visitor", Type(&["Visitor"]), 2, 0.2),
            signal("functions that visit", Function(&["visit_", "visit"]), 3, 0.2),
            signal("visitors that implement another one", Kinds(&["Visitor"]), 1, 0.3),
            signal("files that use a visitor", Users(&["Visitor"]), 2, 0.3),
        ],
    },
];

pub(super) fn patterns(analysis: &Analysis) -> Vec<Pattern> {
    let structure = Structure::new(analysis);
    let mut found: Vec<Pattern> = RULES.iter().filter_map(|rule| follow(&structure, rule)).collect();
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.name.cmp(&b.name)));
    found
}

fn follow(structure: &Structure<'_>, rule: &Rule) -> Option<Pattern> {
    let mut evidence: Vec<Evidence> = Vec::new();
    let mut weight = 0.0;
    for signal in rule.signals {
        let places = places(structure, &signal.look);
        if places.len() >= signal.least {
            weight += signal.weight;
            let count = places.len();
            let places = places.into_iter().take(MOST_PLACES).collect();
            let structural = signal.look.is_structural();
            evidence.push(Evidence { signal: signal.says.to_owned(), structural, count, places });
        }
    }
    let confidence = (weight * 100.0_f64).round() / 100.0;
    let n_proofs = evidence.iter().filter(|evidence| evidence.structural).count();
    (n_proofs >= rule.proofs && evidence.len() >= rule.least && confidence >= LEAST_CONFIDENCE)
        .then_some(Pattern { name: rule.name.into(), confidence, evidence })
}

const TYPES: &[ChunkKind] = &[ChunkKind::Class, ChunkKind::Interface, ChunkKind::Type, ChunkKind::Enum];

fn places(structure: &Structure<'_>, look: &Look) -> Vec<Place> {
    match look {
        Folder(names) => structure.in_folders(names),
        Type(ends) => structure.symbols(TYPES, |name| structure::ends_with(name, ends)),
        Interface(ends) => {
            structure.symbols(&[ChunkKind::Interface], |name| structure::ends_with(name, ends))
        }
        Function(starts) => structure.symbols(&[ChunkKind::Function, ChunkKind::Method], |name| {
            starts.iter().any(|start| structure::starts_with_word(name, start))
        }),
        Package(words) => structure.packages(words),
        Imports(words) => structure.imports(words),
        OneWay(above, below) => structure.one_way(above, below),
        Kinds(ends) => structure.kinds(ends),
        Users(ends) => structure.users(ends),
        Made(ends) => structure.made(ends),
        Between(from, to) => structure.between(from, to),
        Together(names) => structure.together(names),
        Shared(one, other) => structure.shared(one, other),
    }
}
