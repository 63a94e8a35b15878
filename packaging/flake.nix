{
  description = "Finds the code and documentation that answer a question, on your own machine";

  # Has Rust 1.95.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      source = ./..;
      manifest = builtins.fromTOML (builtins.readFile (source + "/Cargo.toml"));
      package =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = "craig";
          version = manifest.workspace.package.version;
          src = source;
          cargoLock.lockFile = source + "/Cargo.lock";
          buildAndTestSubdir = "crates/craig";
          # Tests need git, a network on this machine, and minutes.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/craig man >craig.1
            installManPage craig.1
            for shell in bash zsh fish; do
              installShellCompletion --cmd craig --$shell <($out/bin/craig completions $shell)
            done
          '';
          meta = {
            homepage = "https://github.com/craig-dev/craig";
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "craig";
          };
        };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = package nixpkgs.legacyPackages.${system};
      });
    };
}
