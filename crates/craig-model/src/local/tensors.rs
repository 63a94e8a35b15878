//! Weights from safetensors, as f32.

use safetensors::{Dtype, SafeTensors};

use crate::ModelError;

/// The tensors of one file.
pub(super) struct Tensors<'b> {
    tensors: SafeTensors<'b>,
}

/// Numbers with their shape.
#[derive(Debug, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

impl<'b> Tensors<'b> {
    pub(super) fn parse(bytes: &'b [u8]) -> Result<Self, ModelError> {
        let tensors =
            SafeTensors::deserialize(bytes).map_err(|error| ModelError::Malformed(error.to_string()))?;
        Ok(Self { tensors })
    }

    /// The tensor of that name, if there is one.
    pub(super) fn optional(&self, name: &str) -> Result<Option<Tensor>, ModelError> {
        let Ok(view) = self.tensors.tensor(name) else { return Ok(None) };
        let values = floats(view.dtype(), view.data()).ok_or_else(|| {
            ModelError::Malformed(format!("{name} has the unsupported data type {:?}", view.dtype()))
        })?;
        Ok(Some(Tensor { shape: view.shape().to_vec(), values }))
    }
}

fn floats(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    Some(match dtype {
        Dtype::F32 => bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        Dtype::F64 => bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b) as f32).collect(),
        Dtype::BF16 => bytes.as_chunks::<2>().0.iter().map(|b| bf16(u16::from_le_bytes(*b))).collect(),
        Dtype::F16 => bytes.as_chunks::<2>().0.iter().map(|b| f16(u16::from_le_bytes(*b))).collect(),
        Dtype::I8 => bytes.iter().map(|&b| f32::from(b as i8)).collect(),
        Dtype::I32 => bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b) as f32).collect(),
        Dtype::I64 => bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as f32).collect(),
        _ => return None,
    })
}

/// The upper half of an f32.
fn bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// IEEE 754 half precision.
fn f16(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff) / 1024.0);
    sign * match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_floats_are_read() {
        for (bits, value) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (1, 5.960_464_5e-8), (0, 0.0)]
        {
            assert_eq!(f16(bits), value, "{bits:#x}");
        }
        assert!(f16(0x7c00).is_infinite() && f16(0x7e00).is_nan());
        assert_eq!(bf16(0x3fc0), 1.5);
        assert_eq!(floats(Dtype::I8, &[255, 3]), Some(vec![-1.0, 3.0]));
    }
}
