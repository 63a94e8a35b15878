//! How like a text is to every section: their vectors lie one after the other, since all are looked at for each name.

use craig_model::{Embedding, Quantized};
use craig_text::dot_i8_f32;

/// The vectors of all parts of all sections, in order.
#[derive(Default)]
pub(super) struct Vectors {
    codes: Vec<i8>,
    /// One for each part.
    scales: Vec<f32>,
    /// Number of parts of each section.
    n_parts: Vec<u32>,
}

impl Vectors {
    /// Adds a section.
    pub(super) fn push(&mut self, parts: &[Quantized]) {
        for part in parts {
            self.codes.extend_from_slice(&part.codes);
            self.scales.push(part.scale);
        }
        self.n_parts.push(u32::try_from(parts.len()).unwrap_or(u32::MAX));
    }

    /// Cosines of a vector and the nearest part of each section, in order; 0 at least.
    pub(super) fn similarities(&self, query: &Embedding) -> Vec<f32> {
        let query = query.as_slice();
        let mut parts = self.codes.chunks_exact(query.len().max(1)).zip(&self.scales);
        let nearest = |n_parts: &u32| {
            let own = parts.by_ref().take(*n_parts as usize);
            own.map(|(codes, scale)| dot_i8_f32(codes, query) * scale).fold(0.0, f32::max)
        };
        self.n_parts.iter().map(nearest).collect()
    }
}

#[cfg(test)]
mod tests {
    use craig_model::StaticModel;

    use super::*;

    #[test]
    fn each_section_is_as_like_as_its_nearest_part() {
        let model = StaticModel::builtin();
        let texts = ["retry a request", "parse the date", "open a file", "draw a circle"];
        let parts: Vec<Quantized> = texts.iter().map(|text| model.query(text).quantized()).collect();
        let mut vectors = Vectors::default();
        for section in [&parts[0..2], &[], &parts[2..4]] {
            vectors.push(section);
        }
        let alike = |text: &str| vectors.similarities(&model.query(text));
        let dates = alike("parse the date");
        assert!(dates[0] > 0.99 && dates[1] == 0.0 && dates[2] < 0.6, "{dates:?}");
        assert!(alike("draw a circle")[2] > 0.99);
    }
}
