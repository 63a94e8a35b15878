//! BERT written down as ONNX, so that the runtime is tried on a real graph: what exporters write, without an exporter.

use crate::weights::{Tensors, minilm, minilm_folder};

/// Protocol buffers, as much of them as ONNX needs.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value as u64);
        self
    }

    fn float(mut self, field: u64, value: f32) -> Self {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, &message.0)
    }
}

enum Attribute<'a> {
    Number(i64),
    Float(f32),
    Numbers(&'a [i64]),
}

const FLOAT: i64 = 1;
const INT64: i64 = 7;

/// A graph that grows node by node.
#[derive(Default)]
struct Graph {
    message: Message,
    n_nodes: usize,
}

impl Graph {
    fn node(&mut self, operator: &str, inputs: &[&str], attributes: &[(&str, Attribute<'_>)]) -> String {
        let output = format!("v{}", self.n_nodes);
        self.n_nodes += 1;
        self.named_node(operator, inputs, attributes, &output);
        output
    }

    fn named_node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[(&str, Attribute<'_>)],
        output: &str,
    ) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input.as_bytes()));
        let node = node.bytes(2, output.as_bytes()).bytes(3, output.as_bytes()).bytes(4, operator.as_bytes());
        let node = attributes.iter().fold(node, |node, (name, value)| {
            let attribute = Message::default().bytes(1, name.as_bytes());
            let attribute = match value {
                Attribute::Float(value) => attribute.float(2, *value).number(20, 1),
                Attribute::Number(value) => attribute.number(3, *value).number(20, 2),
                Attribute::Numbers(values) => values
                    .iter()
                    .fold(attribute, |attribute, value| attribute.number(8, *value))
                    .number(20, 7),
            };
            node.message(5, attribute)
        });
        self.message = std::mem::take(&mut self.message).message(1, node);
    }

    fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        self.constant(name, shape, FLOAT, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn numbers(&mut self, name: &str, values: &[i64]) -> String {
        self.constant(
            name,
            &[values.len()],
            INT64,
            values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        )
    }

    fn constant(&mut self, name: &str, shape: &[usize], kind: i64, bytes: Vec<u8>) -> String {
        let tensor = shape.iter().fold(Message::default(), |tensor, &size| tensor.number(1, size as i64));
        let tensor = tensor.number(2, kind).bytes(8, name.as_bytes()).bytes(9, &bytes);
        self.message = std::mem::take(&mut self.message).message(5, tensor);
        name.to_owned()
    }

    /// The model with its inputs and one output.
    fn finish(self, output: &str, output_axes: &[&str]) -> Vec<u8> {
        let inputs = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];
        let graph = inputs.iter().fold(self.message.bytes(2, b"bert"), |graph, name| {
            graph.message(11, value(name, INT64, &["batch", "tokens"]))
        });
        let graph = graph.message(12, value(output, FLOAT, output_axes));
        let operators = Message::default().bytes(1, b"").number(2, 17);
        Message::default().number(1, 8).message(7, graph).message(8, operators).0
    }
}

fn value(name: &str, kind: i64, axes: &[&str]) -> Message {
    let shape = axes.iter().fold(Message::default(), |shape, axis| {
        shape.message(1, Message::default().bytes(2, axis.as_bytes()))
    });
    let tensor = Message::default().number(1, kind).message(2, shape);
    Message::default().bytes(1, name.as_bytes()).message(2, Message::default().message(1, tensor))
}

/// BERT's weights as a graph.
pub(crate) struct Writer<'t> {
    graph: Graph,
    tensors: &'t Tensors,
    n_heads: usize,
    epsilon: f32,
}

impl<'t> Writer<'t> {
    /// The model's last states as ONNX.
    pub(crate) fn states(tensors: &'t Tensors, n_heads: usize) -> Vec<u8> {
        let mut writer = Self { graph: Graph::default(), tensors, n_heads, epsilon: 1e-12 };
        let states = writer.all_layers();
        writer.graph.named_node("Identity", &[&states], &[], "last_hidden_state");
        writer.graph.finish("last_hidden_state", &["batch", "tokens", "width"])
    }

    /// A classifier over the first token as ONNX.
    pub(crate) fn logits(tensors: &'t Tensors, n_heads: usize) -> Vec<u8> {
        let mut writer = Self { graph: Graph::default(), tensors, n_heads, epsilon: 1e-12 };
        let states = writer.all_layers();
        let zero = writer.graph.constant("zero", &[], INT64, 0i64.to_le_bytes().to_vec());
        let first = writer.graph.node("Gather", &[&states, &zero], &[("axis", Attribute::Number(1))]);
        let pooled = writer.linear("pooler.dense", &first);
        let pooled = writer.graph.node("Tanh", &[&pooled], &[]);
        let logits = writer.linear("classifier", &pooled);
        writer.graph.named_node("Identity", &[&logits], &[], "logits");
        writer.graph.finish("logits", &["batch", "labels"])
    }

    fn all_layers(&mut self) -> String {
        let tables = [("word", "input_ids"), ("position", "position_ids"), ("token_type", "token_type_ids")];
        let [word, place, kind] = tables.map(|(table, input)| {
            let table = self.weights(&format!("embeddings.{table}_embeddings.weight"));
            self.graph.node("Gather", &[&table, input], &[])
        });
        let sum = self.graph.node("Add", &[&word, &place], &[]);
        let sum = self.graph.node("Add", &[&sum, &kind], &[]);
        let mut states = self.layer_norm("embeddings.LayerNorm", &sum);
        let mask = self.mask();
        for layer in (0..).take_while(|layer| {
            self.tensors.contains_key(&format!("encoder.layer.{layer}.output.dense.bias"))
        }) {
            states = self.layer(&format!("encoder.layer.{layer}"), &states, &mask);
        }
        states
    }

    /// 0 for tokens, very little for padding.
    fn mask(&mut self) -> String {
        let mask = self.graph.node("Cast", &["attention_mask"], &[("to", Attribute::Number(FLOAT))]);
        let one = self.graph.floats("one", &[1], &[1.0]);
        let mask = self.graph.node("Sub", &[&mask, &one], &[]);
        let much = self.graph.floats("much", &[1], &[10_000.0]);
        let mask = self.graph.node("Mul", &[&mask, &much], &[]);
        let axes = self.graph.numbers("mask_axes", &[1, 2]);
        self.graph.node("Unsqueeze", &[&mask, &axes], &[])
    }

    fn layer(&mut self, name: &str, states: &str, mask: &str) -> String {
        let attended = self.attention(name, states, mask);
        let projected = self.linear(&format!("{name}.attention.output.dense"), &attended);
        let sum = self.graph.node("Add", &[states, &projected], &[]);
        let states = self.layer_norm(&format!("{name}.attention.output.LayerNorm"), &sum);
        let inner = self.linear(&format!("{name}.intermediate.dense"), &states);
        let inner = self.gelu(name, &inner);
        let outer = self.linear(&format!("{name}.output.dense"), &inner);
        let sum = self.graph.node("Add", &[&states, &outer], &[]);
        self.layer_norm(&format!("{name}.output.LayerNorm"), &sum)
    }

    fn attention(&mut self, name: &str, states: &str, mask: &str) -> String {
        let width = self.tensors[&format!("{name}.attention.self.query.bias")].0[0];
        let size = width / self.n_heads;
        let split = self.graph.numbers(&format!("{name}.split"), &[0, 0, self.n_heads as i64, size as i64]);
        let [queries, keys, values] =
            [("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])].map(|(part, order)| {
                let part = self.linear(&format!("{name}.attention.self.{part}"), states);
                let part = self.graph.node("Reshape", &[&part, &split], &[]);
                self.graph.node("Transpose", &[&part], &[("perm", Attribute::Numbers(&order))])
            });
        let scale = self.graph.floats(&format!("{name}.scale"), &[1], &[(size as f32).sqrt().recip()]);
        let weights = self.graph.node("MatMul", &[&queries, &keys], &[]);
        let weights = self.graph.node("Mul", &[&weights, &scale], &[]);
        let weights = self.graph.node("Add", &[&weights, mask], &[]);
        let weights = self.graph.node("Softmax", &[&weights], &[("axis", Attribute::Number(-1))]);
        let mixed = self.graph.node("MatMul", &[&weights, &values], &[]);
        let mixed = self.graph.node("Transpose", &[&mixed], &[("perm", Attribute::Numbers(&[0, 2, 1, 3]))]);
        let join = self.graph.numbers(&format!("{name}.join"), &[0, 0, width as i64]);
        self.graph.node("Reshape", &[&mixed, &join], &[])
    }

    fn gelu(&mut self, name: &str, inner: &str) -> String {
        let root = self.graph.floats(&format!("{name}.root"), &[1], &[std::f32::consts::SQRT_2]);
        let one = self.graph.floats(&format!("{name}.one"), &[1], &[1.0]);
        let half = self.graph.floats(&format!("{name}.half"), &[1], &[0.5]);
        let scaled = self.graph.node("Div", &[inner, &root], &[]);
        let error = self.graph.node("Erf", &[&scaled], &[]);
        let error = self.graph.node("Add", &[&error, &one], &[]);
        let product = self.graph.node("Mul", &[inner, &error], &[]);
        self.graph.node("Mul", &[&product, &half], &[])
    }

    fn linear(&mut self, name: &str, states: &str) -> String {
        let (shape, values) = &self.tensors[&format!("{name}.weight")];
        let (n_outputs, n_inputs) = (shape[0], shape[1]);
        let transposed: Vec<f32> =
            (0..n_inputs * n_outputs).map(|at| values[at % n_outputs * n_inputs + at / n_outputs]).collect();
        let weights = self.graph.floats(&format!("{name}.weight"), &[n_inputs, n_outputs], &transposed);
        let bias = self.weights(&format!("{name}.bias"));
        let product = self.graph.node("MatMul", &[states, &weights], &[]);
        self.graph.node("Add", &[&product, &bias], &[])
    }

    fn layer_norm(&mut self, name: &str, states: &str) -> String {
        let (gamma, beta) = (self.weights(&format!("{name}.weight")), self.weights(&format!("{name}.bias")));
        let attributes = [("axis", Attribute::Number(-1)), ("epsilon", Attribute::Float(self.epsilon))];
        self.graph.node("LayerNormalization", &[states, &gamma, &beta], &attributes)
    }

    fn weights(&mut self, name: &str) -> String {
        let (shape, values) = &self.tensors[name];
        self.graph.floats(name, shape, values)
    }
}

/// Run by `scripts/fetch-test-models`.
#[test]
#[ignore = "writes into the cache"]
fn write_minilm_as_onnx() {
    let (folder, files) = (minilm_folder().unwrap(), minilm().unwrap());
    std::fs::create_dir_all(folder.join("onnx")).unwrap();
    std::fs::write(folder.join("onnx/model.onnx"), &files["onnx/model.onnx"]).unwrap();
}
