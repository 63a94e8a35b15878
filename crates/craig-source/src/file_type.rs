//! Binary files by extension: tracked in the file tree, never decoded.

use std::{collections::HashMap, sync::LazyLock};

use craig_text::path::extension;

use crate::FileType;

/// The type of a file with a binary extension. SVG is text by nature, but an image to its users.
pub(crate) fn binary_by_extension(path: &str) -> Option<FileType> {
    BY_EXTENSION.get(extension(path).to_ascii_lowercase().as_str()).copied()
}

/// Whether a file is a pointer to content that Git LFS or git-annex keeps elsewhere.
pub(crate) fn is_pointer(bytes: &[u8]) -> bool {
    const MAX_POINTER_BYTES: usize = 1_024;
    let marks: [&[u8]; 2] = [b"version https://git-lfs.github.com/spec/v1\n", b"/annex/objects/"];
    bytes.len() <= MAX_POINTER_BYTES && marks.iter().any(|mark| bytes.starts_with(mark))
}

static BY_EXTENSION: LazyLock<HashMap<&str, FileType>> = LazyLock::new(|| {
    EXTENSIONS
        .iter()
        .flat_map(|(kind, words)| words.split_ascii_whitespace().map(|word| (word, *kind)))
        .collect()
});

/// Extensions that are never text in practice. `.out`, `.snap`, `.dot`, `.obj`, `.bin` and the like are recognised by
/// content: golden outputs, test snapshots and graphs are worth finding.
const EXTENSIONS: &[(FileType, &str)] = &[
    (
        FileType::Image,
        "png jpg jpeg jpe gif bmp ico icns cur webp svg svgz tif tiff avif heic heif jxl jp2 psd psb xcf cr2 nef \
         dng tga dds exr hdr ktx ktx2 pbm pgm ppm pnm qoi sketch blend",
    ),
    (
        FileType::Archive,
        "zip tar gz tgz bz2 tbz tbz2 xz txz zst tzst lz lz4 lzma 7z rar jar war ear aar apk aab ipa dmg iso img deb rpm cab \
         whl egg gem nupkg crate vsix xpi crx msi cpio br flatpak appimage",
    ),
    (FileType::Executable, "exe dll so dylib a o ko wasm class pyc pyo pyd beam dex rlib rmeta pdb"),
    (
        FileType::Media,
        "mp3 mp4 m4a m4v wav ogg oga ogv opus flac aac aiff wma avi mov mkv webm wmv flv mpg mpeg 3gp mid midi swf",
    ),
    (
        FileType::Document,
        "pdf doc docx dotx xls xlsx xlsm xlsb ppt pptx odt ods odp odg rtf epub mobi azw3 keynote vsd vsdx \
         djvu chm",
    ),
    (
        FileType::Binary,
        "woff woff2 ttf otf eot sqlite sqlite3 mdb accdb parquet arrow feather orc avro npy npz pkl pickle pt pth onnx tflite \
         safetensors gguf h5 hdf5 rdb ds_store glb fbx uasset umap pak gmo snappy protobin",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_files_are_recognised_by_extension() {
        for (path, expected) in [
            ("logo.svg", Some(FileType::Image)),
            ("a/b.PNG", Some(FileType::Image)),
            ("x.tar.gz", Some(FileType::Archive)),
            ("lib.so", Some(FileType::Executable)),
            ("song.mp3", Some(FileType::Media)),
            ("report.docx", Some(FileType::Document)),
            ("font.woff2", Some(FileType::Binary)),
            ("main.rs", None),
            ("png", None),
            ("dir.png/file", None),
        ] {
            assert_eq!(binary_by_extension(path), expected, "{path}");
        }
    }
}
