class Craig < Formula
  desc "Finds the code and documentation that answer a question, on your own machine"
  homepage "https://github.com/craig-dev/craig"
  version "VERSION"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/craig-dev/craig/releases/download/vVERSION/craig-VERSION-aarch64-apple-darwin.tar.gz"
      sha256 "SHA256_aarch64_apple_darwin"
    end
    on_intel do
      url "https://github.com/craig-dev/craig/releases/download/vVERSION/craig-VERSION-x86_64-apple-darwin.tar.gz"
      sha256 "SHA256_x86_64_apple_darwin"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/craig-dev/craig/releases/download/vVERSION/craig-VERSION-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "SHA256_aarch64_unknown_linux_gnu"
    end
    on_intel do
      url "https://github.com/craig-dev/craig/releases/download/vVERSION/craig-VERSION-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "SHA256_x86_64_unknown_linux_gnu"
    end
  end

  def install
    bin.install "bin/craig"
    man1.install Dir["man/*"]
    bash_completion.install "completions/craig"
    zsh_completion.install "completions/_craig"
    fish_completion.install "completions/craig.fish"
    doc.install "THIRD-PARTY-NOTICES"
  end

  test do
    (testpath/"tokens.py").write "def refresh_token():\n    \"\"\"Renews the session of a user.\"\"\"\n"
    assert_match "tokens.py", shell_output("#{bin}/craig search 'where is a session renewed'")
  end
end
