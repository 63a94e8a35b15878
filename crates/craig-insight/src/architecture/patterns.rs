//! Architectural patterns, recognised by the names of folders, types and packages, and by the direction of imports. Each signal
//! is reported with its places; a pattern without enough signals is not reported.

use std::collections::BTreeSet;

use serde::Serialize;

use craig_chunk::ChunkKind;
use craig_text::path::folder;

use crate::Analysis;
use crate::dependencies::Place;
use crate::workspace::{FileIx, SourceFile};

/// A pattern that the project follows.
#[derive(Clone, Debug, Serialize)]
pub struct Pattern {
    /// Its name.
    pub name: &'static str,
    /// From 0 to 1: the weight of the signals that were found, of all that would speak for it.
    pub confidence: f64,
    /// The signals that were found.
    pub evidence: Vec<Evidence>,
}

/// One signal with the places that give it.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// What was found.
    pub signal: String,
    /// How many places.
    pub count: usize,
    /// The first of them.
    pub places: Vec<Place>,
}

/// Most places reported for a signal.
const MOST_PLACES: usize = 5;

/// Patterns with less confidence are not reported.
const LEAST_CONFIDENCE: f64 = 0.4;

/// What a signal looks for.
enum Look {
    /// Files in a folder with one of the names.
    Folder(&'static [&'static str]),
    /// Types whose names end so.
    Type(&'static [&'static str]),
    /// Interfaces and traits whose names end so.
    Interface(&'static [&'static str]),
    /// Functions whose names begin so.
    Function(&'static [&'static str]),
    /// Packages whose names hold one of the words.
    Package(&'static [&'static str]),
    /// Files of the first folders import files of the second, and hardly ever the reverse.
    OneWay(&'static [&'static str], &'static [&'static str]),
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
}

const fn signal(says: &'static str, look: Look, least: usize, weight: f64) -> Signal {
    Signal { says, look, least, weight }
}

use Look::{Folder, Function, Interface, OneWay, Package, Type};

const MODELS: &[&str] = &["models", "model", "entities", "entity"];
const CONTROLLERS: &[&str] = &["controllers", "controller"];
const SERVICES: &[&str] =
    &["services", "service", "application", "usecases", "use_cases", "usecase", "business"];
const DOMAIN: &[&str] = &["domain", "domains", "entities", "models", "model"];
const INFRASTRUCTURE: &[&str] = &[
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
const PRESENTATION: &[&str] = &[
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
const PLUGINS: &[&str] = &["plugins", "plugin", "extensions", "addons", "integrations"];
const CORE: &[&str] = &["core", "kernel", "runtime"];

const RULES: &[Rule] = &[
    Rule {
        name: "mvc",
        least: 3,
        signals: &[
            signal("folder of models", Folder(MODELS), 1, 0.25),
            signal("folder of views", Folder(&["views", "templates", "view"]), 1, 0.2),
            signal("folder of controllers", Folder(CONTROLLERS), 1, 0.25),
            signal("types called …Controller", Type(&["Controller"]), 2, 0.15),
            signal("controllers use models, not the other way round", OneWay(CONTROLLERS, MODELS), 2, 0.15),
        ],
    },
    Rule {
        name: "layered",
        least: 3,
        signals: &[
            signal("a layer of presentation", Folder(PRESENTATION), 2, 0.2),
            signal("a layer of services", Folder(SERVICES), 2, 0.2),
            signal("a layer of the domain", Folder(DOMAIN), 2, 0.2),
            signal("a layer of storage", Folder(INFRASTRUCTURE), 2, 0.2),
            signal(
                "presentation uses services, not the other way round",
                OneWay(PRESENTATION, SERVICES),
                2,
                0.1,
            ),
            signal("services use storage, not the other way round", OneWay(SERVICES, INFRASTRUCTURE), 2, 0.1),
        ],
    },
    Rule {
        name: "hexagonal",
        least: 2,
        signals: &[
            signal("folder of ports", Folder(&["ports", "port"]), 1, 0.3),
            signal("folder of adapters", Folder(&["adapters", "adapter"]), 1, 0.3),
            signal("interfaces called …Port", Interface(&["Port"]), 1, 0.15),
            signal("types called …Adapter", Type(&["Adapter"]), 2, 0.1),
            signal(
                "adapters use the domain, not the other way round",
                OneWay(&["adapters", "adapter", "infrastructure"], DOMAIN),
                2,
                0.15,
            ),
        ],
    },
    Rule {
        name: "repository",
        least: 1,
        signals: &[
            signal("types called …Repository or …Dao", Type(&["Repository", "Dao", "DAO"]), 2, 0.5),
            signal("interfaces called …Repository", Interface(&["Repository"]), 1, 0.25),
            signal("folder of repositories", Folder(&["repositories", "repository", "dao"]), 1, 0.25),
        ],
    },
    Rule {
        name: "factory",
        least: 1,
        signals: &[
            signal("types called …Factory", Type(&["Factory"]), 2, 0.7),
            signal("interfaces called …Factory", Interface(&["Factory"]), 1, 0.3),
        ],
    },
    Rule {
        name: "builder",
        least: 1,
        signals: &[signal("types called …Builder", Type(&["Builder"]), 3, 1.0)],
    },
    Rule {
        name: "plugin",
        least: 2,
        signals: &[
            signal("folder of plugins", Folder(PLUGINS), 2, 0.3),
            signal("interfaces called …Plugin or …Extension", Interface(&["Plugin", "Extension"]), 1, 0.25),
            signal("types called …Plugin or …Extension", Type(&["Plugin", "Extension"]), 2, 0.2),
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
                0.25,
            ),
        ],
    },
    Rule {
        name: "event-driven",
        least: 2,
        signals: &[
            signal("types called …Event", Type(&["Event"]), 3, 0.25),
            signal(
                "types called …Listener, …Subscriber or …Observer",
                Type(&["Listener", "Subscriber", "Observer"]),
                2,
                0.25,
            ),
            signal(
                "an event bus, emitter or dispatcher",
                Type(&[
                    "EventBus",
                    "EventEmitter",
                    "EventDispatcher",
                    "Dispatcher",
                    "EventLoop",
                    "MessageBus",
                ]),
                1,
                0.25,
            ),
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
                0.15,
            ),
            signal(
                "packages for messages",
                Package(&["kafka", "rabbitmq", "amqp", "nats", "pulsar", "eventbus", "mitt", "celery"]),
                1,
                0.1,
            ),
        ],
    },
    Rule {
        name: "client-server",
        least: 2,
        signals: &[
            signal("files of a server", Folder(&["server", "servers", "backend"]), 2, 0.25),
            signal("files of a client", Folder(&["client", "clients", "frontend"]), 2, 0.25),
            signal("types called …Server", Type(&["Server"]), 1, 0.25),
            signal("types called …Client", Type(&["Client"]), 1, 0.25),
        ],
    },
    Rule {
        name: "pipeline",
        least: 2,
        signals: &[
            signal("types called …Pipeline or …Chain", Type(&["Pipeline", "Chain"]), 1, 0.4),
            signal(
                "types called …Stage, …Step, …Pass or …Phase",
                Type(&["Stage", "Step", "Pass", "Phase", "Transformer"]),
                3,
                0.35,
            ),
            signal(
                "folder of stages",
                Folder(&["pipeline", "pipelines", "stages", "passes", "phases", "transforms"]),
                2,
                0.25,
            ),
        ],
    },
    Rule {
        name: "middleware",
        least: 1,
        signals: &[
            signal("types called …Middleware or …Interceptor", Type(&["Middleware", "Interceptor"]), 2, 0.6),
            signal("folder of middleware", Folder(&["middleware", "middlewares", "interceptors"]), 1, 0.4),
        ],
    },
    Rule {
        name: "microkernel",
        least: 2,
        signals: &[
            signal("a core", Folder(CORE), 2, 0.25),
            signal("plugins around it", Folder(PLUGINS), 2, 0.25),
            signal("plugins use the core, not the other way round", OneWay(PLUGINS, CORE), 2, 0.5),
        ],
    },
    Rule {
        name: "component-based-ui",
        least: 2,
        signals: &[
            signal("folder of components", Folder(&["components", "widgets"]), 3, 0.4),
            signal(
                "a package for components",
                Package(&["react", "vue", "svelte", "angular", "preact", "solid-js", "lit"]),
                1,
                0.4,
            ),
            signal("folder of pages or views", Folder(&["pages", "views", "screens"]), 2, 0.2),
        ],
    },
    Rule {
        name: "dependency-injection",
        least: 2,
        signals: &[
            signal("a container or injector", Type(&["Container", "Injector", "ServiceProvider"]), 1, 0.4),
            signal("providers or modules", Type(&["Provider", "Module"]), 3, 0.2),
            signal(
                "a package for injection",
                Package(&[
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
                ]),
                1,
                0.4,
            ),
        ],
    },
    Rule {
        name: "strategy",
        least: 1,
        signals: &[
            signal("types called …Strategy or …Policy", Type(&["Strategy", "Policy"]), 3, 0.6),
            signal("interfaces called …Strategy or …Policy", Interface(&["Strategy", "Policy"]), 1, 0.4),
        ],
    },
    Rule {
        name: "visitor",
        least: 1,
        signals: &[
            signal("types called …Visitor", Type(&["Visitor"]), 1, 0.6),
            signal("functions that visit", Function(&["visit_", "visit"]), 3, 0.4),
        ],
    },
];

pub(super) fn patterns(analysis: &Analysis) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = RULES.iter().filter_map(|rule| follow(analysis, rule)).collect();
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.name.cmp(b.name)));
    found
}

fn follow(analysis: &Analysis, rule: &Rule) -> Option<Pattern> {
    let mut evidence = Vec::new();
    let mut weight = 0.0;
    for signal in rule.signals {
        let places = places(analysis, &signal.look);
        if places.len() >= signal.least {
            weight += signal.weight;
            let count = places.len();
            let places = places.into_iter().take(MOST_PLACES).collect();
            evidence.push(Evidence { signal: signal.says.to_owned(), count, places });
        }
    }
    let confidence = (weight * 100.0_f64).round() / 100.0;
    (evidence.len() >= rule.least && confidence >= LEAST_CONFIDENCE).then_some(Pattern {
        name: rule.name,
        confidence,
        evidence,
    })
}

/// Code files that are no tests.
fn code(analysis: &Analysis) -> impl Iterator<Item = (FileIx, &SourceFile)> {
    analysis.workspace.files.iter().enumerate().filter(|(_, file)| file.is_code() && !file.is_test)
}

fn places(analysis: &Analysis, look: &Look) -> Vec<Place> {
    use ChunkKind as K;
    match look {
        Folder(names) => whole_files(analysis, |file| in_folder(&file.path, names)),
        Type(ends) => {
            symbols(analysis, &[K::Class, K::Interface, K::Type, K::Enum], |name| ends_with_word(name, ends))
        }
        Interface(ends) => symbols(analysis, &[K::Interface], |name| ends_with_word(name, ends)),
        Function(starts) => symbols(analysis, &[K::Function, K::Method], |name| {
            starts
                .iter()
                .any(|start| name == *start || name.starts_with(start) && is_boundary(name, start.len()))
        }),
        Package(words) => packages(analysis, words),
        OneWay(above, below) => one_way(analysis, above, below),
    }
}

fn whole_files(analysis: &Analysis, is_one: impl Fn(&SourceFile) -> bool) -> Vec<Place> {
    let found = code(analysis).filter(|(_, file)| is_one(file));
    found.map(|(_, file)| Place { file: file.path.clone(), line: 1 }).collect()
}

fn in_folder(path: &str, names: &[&str]) -> bool {
    folder(path).split('/').any(|part| names.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

fn symbols(analysis: &Analysis, kinds: &[ChunkKind], is_one: impl Fn(&str) -> bool) -> Vec<Place> {
    let mut found = Vec::new();
    for (_, file) in code(analysis) {
        let own = file.symbols.iter().filter(|symbol| kinds.contains(&symbol.kind) && is_one(&symbol.name));
        found.extend(own.map(|symbol| Place { file: file.path.clone(), line: symbol.line }));
    }
    found
}

fn ends_with_word(name: &str, ends: &[&str]) -> bool {
    let bare = name.split('<').next().unwrap_or(name);
    ends.iter().any(|end| bare.ends_with(end))
}

/// Whether a word of a name ends at `at`.
fn is_boundary(name: &str, at: usize) -> bool {
    name[..at].ends_with('_') || name[at..].starts_with(|c: char| c.is_uppercase() || c == '_')
}

fn packages(analysis: &Analysis, words: &[&str]) -> Vec<Place> {
    let declared = analysis.packages.declared.iter();
    let has = |name: &str| {
        name.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part)) || words.contains(&name)
    };
    let places: BTreeSet<Place> = declared
        .filter(|declared| has(&declared.name))
        .map(|declared| Place { file: declared.manifest.clone(), line: 1 })
        .collect();
    places.into_iter().collect()
}

/// Imports from the one to the other, when those back are less than a tenth of them.
fn one_way(analysis: &Analysis, above: &[&str], below: &[&str]) -> Vec<Place> {
    let files = &analysis.workspace.files;
    let is_in = |file: FileIx, names: &[&str]| !files[file].is_test && in_folder(&files[file].path, names);
    let (mut down, mut up) = (Vec::new(), 0usize);
    for edge in analysis.graph.all() {
        let from_above = is_in(edge.from, above) && !is_in(edge.from, below);
        let from_below = is_in(edge.from, below) && !is_in(edge.from, above);
        if from_above && is_in(edge.to, below) && !is_in(edge.to, above) {
            down.push(Place { file: files[edge.from].path.clone(), line: edge.line });
        } else if from_below && is_in(edge.to, above) && !is_in(edge.to, below) {
            up += 1;
        }
    }
    if up * 10 > down.len() { Vec::new() } else { down }
}
