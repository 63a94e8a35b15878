//! Entry points that frameworks call: by the annotations that a class imports, and by the places where their routes are.

use craig_chunk::ChunkKind;
use craig_source::Language;
use craig_symbols::{Ecosystem, SourceFile};
use craig_text::path::{file_stem, folder, name};

use super::EntryPoint;
use super::manifests::line_of;
use crate::Analysis;

/// Annotations, and types of parameters, by which frameworks of the JVM find what they call.
const JVM: &[(&str, &str, &str)] = &[
    ("io.micronaut.http.annotation", "Controller", "route"),
    ("io.quarkus.grpc", "GrpcService", "route"),
    ("io.quarkus.runtime", "StartupEvent", "listener"),
    ("io.quarkus.runtime.annotations", "QuarkusMain", "program"),
    ("io.quarkus.websockets.next", "WebSocket", "route"),
    ("jakarta.websocket.server", "ServerEndpoint", "route"),
    ("jakarta.ws.rs", "Path", "route"),
    ("javax.websocket.server", "ServerEndpoint", "route"),
    ("javax.ws.rs", "Path", "route"),
    ("org.eclipse.microprofile.reactive.messaging", "Incoming", "listener"),
    ("org.springframework.kafka.annotation", "KafkaListener", "listener"),
    ("org.springframework.stereotype", "Controller", "route"),
    ("org.springframework.web.bind.annotation", "RestController", "route"),
];

/// The package of a framework, the kind of what it calls, and the paths where that is.
type ScriptFramework = (&'static str, &'static str, fn(&str) -> bool);

/// Where frameworks of scripts find what they call, below the folder of the manifest that declares them.
const SCRIPTS: &[ScriptFramework] = &[
    ("next", "route", |path| {
        let place = path.strip_prefix("src/").unwrap_or(path);
        let is_page = place.starts_with("pages/") && !name(path).starts_with('_');
        is_page || place.starts_with("app/") && matches!(file_stem(path), "page" | "route")
    }),
    ("@sveltejs/kit", "route", |path| {
        path.starts_with("src/routes/")
            && (name(path).starts_with("+page") || name(path).starts_with("+server"))
    }),
    ("@react-router/dev", "route", |path| path.starts_with("app/routes/")),
    ("@remix-run/dev", "route", |path| path.starts_with("app/routes/")),
    ("astro", "route", |path| path.starts_with("src/pages/")),
    ("nuxt", "route", |path| {
        let place = path.strip_prefix("app/").unwrap_or(path);
        place.starts_with("pages/") || place.starts_with("server/api/")
    }),
    ("react-scripts", "program", |path| folder(path) == "src" && file_stem(path) == "index"),
];

pub(super) fn entry_point(analysis: &Analysis, file: &SourceFile) -> Option<EntryPoint> {
    match file.language {
        Language::Java | Language::Kotlin => of_jvm(file),
        Language::TypeScript | Language::Tsx | Language::JavaScript => of_script(analysis, file),
        Language::Vue | Language::Svelte | Language::Astro => of_script(analysis, file),
        _ => None,
    }
}

/// A class that imports an annotation and uses it. Interfaces are for clients.
fn of_jvm(file: &SourceFile) -> Option<EntryPoint> {
    let class = file.symbols.iter().find(|symbol| symbol.kind == ChunkKind::Class)?;
    let (import, (package, annotation, kind)) = file.references.imports.iter().find_map(|import| {
        let is_named = |(package, annotation, _): &&(&str, &str, &str)| {
            let rest = import.target.strip_prefix(package);
            rest.is_some_and(|rest| rest.strip_prefix('.') == Some(annotation))
                || rest == Some("") && file.references.uses.iter().any(|used| used.name == *annotation)
        };
        Some((import, JVM.iter().find(is_named)?))
    })?;
    let used = file.references.uses.iter().find(|used| used.name == *annotation);
    let line = used.map(|used| used.line).filter(|line| *line > import.line).unwrap_or(class.line);
    Some(EntryPoint::new(&file.path, Some(line), kind, format!("{annotation} of {package}")))
}

fn of_script(analysis: &Analysis, file: &SourceFile) -> Option<EntryPoint> {
    SCRIPTS.iter().find_map(|(framework, kind, is_called)| {
        let declared = *analysis.packages.find(&file.path, Ecosystem::Npm, framework).first()?;
        let manifest = &analysis.packages.declared[declared].manifest;
        let path = file.path.strip_prefix(folder(manifest))?.trim_start_matches('/');
        let text = analysis.workspace.text(manifest)?;
        let line = line_of(text, &format!("\"{framework}\""));
        is_called(path).then(|| {
            EntryPoint::new(&file.path, None, kind, format!("{kind} of {framework}, {manifest}:{line}"))
        })
    })
}
