//! Names in JavaScript and TypeScript.

mod classes;
mod conditions;
mod doc;
mod expressions;
mod frameworks;
mod functions;
mod jsx;
mod modules;
mod objects;
mod prototypes;
mod template;
mod types;
mod variables;

use self::classes::{ambient, class, enumeration, interface, module, program};
use self::conditions::{binary, if_statement, switch, ternary, unary};
use self::expressions::{
    array, assertion, augmented, call, cast, catch, for_in, identifier, member, new, returned, subscript,
    template, this, update,
};
use self::functions::{function, function_expression, function_type};
use self::jsx::{jsx_element, jsx_end};
use self::modules::{export, import};
use self::objects::object;
pub(crate) use self::template::template as component_template;
use self::types::{
    conditional_type, index_signature, indexed_type, infer, mapped, nested_type, object_type, tuple_type,
    type_alias, type_node, type_predicate, type_query,
};
use self::variables::{assignment, statement, variable};
use crate::names::walk::NameRule::{Block, Literal, Read, Skip, Transparent, TypeName};
use crate::names::walk::NameTable;

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Read(doc::comment)),
        ("string", Literal),
        ("number", Literal),
        ("regex", Literal),
        ("true", Literal),
        ("false", Literal),
        ("null", Literal),
        ("undefined", Literal),
        ("predefined_type", Literal),
        ("template_string", Read(template)),
        ("identifier", Read(identifier)),
        ("shorthand_property_identifier", Read(identifier)),
        ("type_identifier", TypeName),
        ("this", Read(this)),
        ("this_type", Read(this)),
        ("lookup_type", Read(indexed_type)),
        ("member_expression", Read(member)),
        ("nested_identifier", Read(member)),
        ("nested_type_identifier", Read(nested_type)),
        ("subscript_expression", Read(subscript)),
        ("call_expression", Read(call)),
        ("new_expression", Read(new)),
        ("parenthesized_expression", Read(doc::parenthesized)),
        ("await_expression", Transparent),
        ("non_null_expression", Transparent),
        ("as_expression", Read(cast)),
        ("satisfies_expression", Read(cast)),
        ("type_assertion", Read(assertion)),
        ("binary_expression", Read(binary)),
        ("unary_expression", Read(unary)),
        ("if_statement", Read(if_statement)),
        ("switch_statement", Read(switch)),
        ("ternary_expression", Read(ternary)),
        ("sequence_expression", Transparent),
        ("object", Read(object)),
        ("array", Read(array)),
        ("tuple_type", Read(tuple_type)),
        ("function_declaration", Read(function)),
        ("generator_function_declaration", Read(function)),
        ("function_signature", Read(function)),
        ("function_expression", Read(function_expression)),
        ("generator_function", Read(function_expression)),
        ("arrow_function", Read(function_expression)),
        ("function_type", Read(function_type)),
        ("constructor_type", Read(function_type)),
        ("call_signature", Read(function_type)),
        ("construct_signature", Read(function_type)),
        ("class_declaration", Read(class)),
        ("abstract_class_declaration", Read(class)),
        ("class", Read(class)),
        ("interface_declaration", Read(interface)),
        ("type_alias_declaration", Read(type_alias)),
        ("enum_declaration", Read(enumeration)),
        ("internal_module", Read(module)),
        ("module", Read(module)),
        ("ambient_declaration", Read(ambient)),
        ("program", Read(program)),
        ("object_type", Read(object_type)),
        ("generic_type", Read(type_node)),
        ("array_type", Read(type_node)),
        ("union_type", Read(type_node)),
        ("intersection_type", Read(type_node)),
        ("readonly_type", Transparent),
        ("optional_type", Transparent),
        ("rest_type", Transparent),
        ("constraint", Transparent),
        ("default_type", Transparent),
        ("parenthesized_type", Transparent),
        ("type_annotation", Transparent),
        ("conditional_type", Read(conditional_type)),
        ("type_query", Read(type_query)),
        ("type_predicate", Read(type_predicate)),
        ("type_predicate_annotation", Transparent),
        ("asserts_annotation", Transparent),
        ("asserts", Transparent),
        ("mapped_type_clause", Read(mapped)),
        ("infer_type", Read(infer)),
        ("index_signature", Read(index_signature)),
        ("variable_declarator", Read(variable)),
        ("assignment_expression", Read(assignment)),
        ("augmented_assignment_expression", Read(augmented)),
        ("update_expression", Read(update)),
        ("for_in_statement", Read(for_in)),
        ("for_statement", Block),
        ("statement_block", Block),
        ("switch_body", Block),
        ("catch_clause", Read(catch)),
        ("return_statement", Read(returned)),
        ("import_statement", Read(import)),
        ("export_statement", Read(export)),
        ("jsx_opening_element", Read(jsx_element)),
        ("jsx_self_closing_element", Read(jsx_element)),
        ("jsx_closing_element", Read(jsx_end)),
        ("jsx_text", Skip),
        ("property_identifier", Skip),
        ("statement_identifier", Skip),
        ("private_property_identifier", Skip),
        ("expression_statement", Read(statement)),
    ],
    hoists: true,
};
