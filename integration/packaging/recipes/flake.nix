# The package of llavero for Nix, from its archive: nix run path:FOLDER
{
  description = "Keychain that logs in git and other developer tools";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      system = "@MACHINE@-linux";
      pkgs = nixpkgs.legacyPackages.${system};
    in
    {
      packages.${system}.default = pkgs.stdenv.mkDerivation {
        pname = "llavero";
        version = "@VERSION@";
        src = @NIX_SOURCE@;

        # For the companions. The other programs are static.
        nativeBuildInputs = [ pkgs.autoPatchelfHook ];
        buildInputs = [
          pkgs.glib
          pkgs.libsecret
        ];
        # llavero-network loads libcurl itself.
        runtimeDependencies = [ (pkgs.lib.getLib pkgs.curl) ];

        dontConfigure = true;
        dontBuild = true;
        dontStrip = true;

        installPhase = ''
          runHook preInstall
          sh ./install.sh --prefix "$out" --destdir /
          runHook postInstall
        '';

        doInstallCheck = true;
        installCheckPhase = ''
          "$out/bin/llavero" --version
        '';

        meta = {
          description = "Keychain that logs in git and other developer tools";
          mainProgram = "llavero";
          platforms = [ system ];
        };
      };
    };
}
