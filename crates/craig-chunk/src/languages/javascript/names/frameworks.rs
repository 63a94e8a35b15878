//! Calls of well-known libraries, and what their values are made from.

use tree_sitter::Node;

use super::expressions::Given;
use super::objects::{FUNCTIONS, bare};
use crate::grammar::{field, named_children};
use crate::languages::javascript::iterates;
use crate::names::walk::Walk;
use crate::names::{Choice, Definition, DefinitionKind, Role, Site, Source, Traits, Value};

/// What the value of a call is made from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// It is the first argument, or does as that does.
    Argument,
    /// It holds what the first argument holds.
    Elements,
    /// An instance of the class that is the first argument.
    Class,
    /// What the function that it is given returns.
    Returned,
    /// What the function that it is given returns, of a module its default export.
    Loaded,
    /// What a context holds, an instance of the type argument.
    Type,
    /// An object that holds, as `value`, an instance of the type argument, or else the argument or what it returns.
    Reference,
}

/// By what is called, or its last name.
const CALLS: &[(&str, From)] = &[
    ("Array.from", From::Elements),
    ("Object.entries", From::Elements),
    ("Object.values", From::Elements),
    ("Promise.all", From::Elements),
    // React and its like.
    ("memo", From::Argument),
    ("forwardRef", From::Argument),
    ("observer", From::Argument),
    ("useCallback", From::Argument),
    ("useContext", From::Argument),
    ("useEffectEvent", From::Argument),
    ("useMemo", From::Returned),
    ("createContext", From::Type),
    // Components that are loaded when they are shown: React, Next, loadable-components, Vue.
    ("lazy", From::Loaded),
    ("dynamic", From::Loaded),
    ("loadable", From::Loaded),
    ("defineAsyncComponent", From::Loaded),
    // A component of Vue, and its properties.
    ("defineComponent", From::Argument),
    ("defineProps", From::Type),
    ("withDefaults", From::Argument),
    ("defineModel", From::Reference),
    ("ref", From::Reference),
    ("shallowRef", From::Reference),
    ("computed", From::Reference),
    ("storeToRefs", From::Argument),
    // Proxies of Vue.
    ("markRaw", From::Argument),
    ("reactive", From::Argument),
    ("shallowReactive", From::Argument),
    // Objects that do not change, and functions that are called less often.
    ("freeze", From::Argument),
    ("seal", From::Argument),
    ("debounce", From::Argument),
    ("throttle", From::Argument),
    ("once", From::Argument),
    // Containers of services: Angular, NestJS, TypeDI, tsyringe.
    ("inject", From::Class),
    ("get", From::Class),
    ("resolve", From::Class),
];

/// The value of a call of a function, as far as it or its name is known.
pub(super) fn value_of_call<'t>(
    walk: &mut Walk<'t>,
    function: Node<'t>,
    called: Value,
    type_argument: Value,
    given: Given<'t>,
) -> Value {
    let first = given.first.map_or(Value::Unknown, |(_, value)| value);
    let class = given.first.map_or(Value::Unknown, |(node, value)| class_instance(walk, node, value));
    let made = match made_from(walk, function) {
        Some(From::Argument | From::Elements) => first,
        Some(From::Class) => class,
        Some(From::Returned) => given.returned,
        Some(From::Loaded) => loaded(walk, given.returned),
        Some(From::Type) => type_argument.instance(),
        Some(From::Reference) => {
            reference(walk, function, type_argument.instance().or(given.returned).or(first))
        }
        None if !iterates(function, walk.text) => returning(walk, function, given.returned),
        None => Value::Unknown,
    };
    if walk.text_of(function) == "defineProps" {
        walk.properties = made;
    }
    let known = walk.inferred(called.called(), type_argument.or(class));
    if made.is_typed() { walk.choice(Choice::Guarded(known, made)) } else { known }
}

/// What has a value as `value`. It has the members of the value as well: templates and stores leave `.value` out.
fn reference<'t>(walk: &mut Walk<'t>, function: Node<'t>, held: Value) -> Value {
    if !held.is_typed() {
        return Value::Unknown;
    }
    match walk.define_as("object", function, function, DefinitionKind::Type, Traits::LOCAL) {
        Some(at) => {
            walk.add_super(at, held);
            walk.set_value(at, walk.first_of(held));
            walk.hold(at, function, held);
            Value::Instance(Source::Definition(at))
        }
        None => Value::Unknown,
    }
}

/// An instance of what can be called and returns an object that is written out. A function of another project that takes
/// one which returns such an object may make it: `defineStore('cart', () => ({ … }))`.
fn returning<'t>(walk: &mut Walk<'t>, function: Node<'t>, returned: Value) -> Value {
    let Value::Instance(Source::Definition(object)) = returned else { return Value::Unknown };
    // A tuple has elements.
    let is_written = |of: &mut Definition| {
        of.kind == DefinitionKind::Type && of.traits.has(Traits::LOCAL) && of.value == Value::Unknown
    };
    if !walk.definition(object).is_some_and(is_written) {
        return Value::Unknown;
    }
    match walk.define_as("function", function, function, DefinitionKind::Interface, Traits::LOCAL) {
        Some(at) => {
            walk.set_value(at, returned);
            Value::Instance(Source::Definition(at))
        }
        None => Value::Unknown,
    }
}

/// What is loaded: the default of a module, or of an object that stands for one, or else the value itself.
fn loaded(walk: &mut Walk<'_>, value: Value) -> Value {
    match value {
        Value::Instance(Source::Definition(of)) => {
            let member = walk.member_called(of, "default");
            member.and_then(|at| walk.definition(at)).map_or(Value::Unknown, |member| member.value)
        }
        Value::Itself(Source::Occurrence(at)) if walk.is_import(at) => {
            walk.name_where(at, "default", Role::Import, Site::Member(value))
        }
        _ => value,
    }
}

fn made_from(walk: &Walk<'_>, function: Node<'_>) -> Option<From> {
    let name = field(function, "property").unwrap_or(function);
    let (name, whole) = (walk.text_of(name), walk.text_of(function));
    CALLS.iter().find(|(called, _)| [name, whole].contains(called)).map(|(_, from)| *from)
}

/// An instance of what an argument names, if that is written as a class is.
fn class_instance(walk: &Walk<'_>, argument: Node<'_>, value: Value) -> Value {
    let name = match argument.kind() {
        "identifier" => Some(argument),
        "member_expression" => field(argument, "property"),
        _ => None,
    };
    let name = name.map_or("", |name| walk.text_of(name));
    let is_class = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    if is_class { value.instance() } else { Value::Unknown }
}

/// The function or object that calls wrap, which are as it is: `memo(forwardRef(function () {…}))`, `Object.freeze({…})`.
pub(super) fn wrapped<'t>(walk: &Walk<'t>, call: Node<'t>) -> Option<Node<'t>> {
    let function = field(call, "function").filter(|_| call.kind() == "call_expression")?;
    let argument = named_children(field(call, "arguments")?).find(|argument| argument.kind() != "comment")?;
    if made_from(walk, function) != Some(From::Argument) {
        return None;
    }
    match bare(argument) {
        inner if FUNCTIONS.contains(&inner.kind()) || inner.kind() == "object" => Some(inner),
        inner => wrapped(walk, inner),
    }
}

/// Whether a value is made by a call that takes a function, other than for elements of a collection.
pub(super) fn takes_callback(walk: &Walk<'_>, value: Node<'_>) -> bool {
    let Some(function) = field(value, "function").filter(|_| value.kind() == "call_expression") else {
        return false;
    };
    let list = field(value, "arguments").filter(|_| !iterates(function, walk.text));
    list.is_some_and(|list| named_children(list).any(|argument| FUNCTIONS.contains(&argument.kind())))
}

/// Reads calls that wrap a function or object, without that.
pub(super) fn wrappers<'t>(walk: &mut Walk<'t>, call: Node<'t>) {
    if call.kind() != "call_expression" {
        return;
    }
    walk.field_as(call, "function", Role::Call);
    walk.field(call, "type_arguments");
    let Some(list) = field(call, "arguments") else { return };
    let mut arguments = named_children(list).filter(|argument| argument.kind() != "comment");
    if let Some(first) = arguments.next() {
        wrappers(walk, bare(first));
    }
    for argument in arguments {
        walk.visit(argument);
    }
}
