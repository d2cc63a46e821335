extension KnownTool {
  /// npm, which takes a token from a variable.
  static let npm = KnownTool(
    name: "npm", imports: ["npm"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "npm",
        text: #"""
          NPM

          npm asks no program for its token, but takes it from a variable. Store it:

              llavero add --service npm

          Then run npm with the token of the registry:

              llavero run \
                --env 'npm_config_//registry.npmjs.org/:_authToken=llavero://npm' -- \
                npm whoami

          npm prints your name. Where it has to be in a file, as for yarn:

          In .npmrc:

              //registry.npmjs.org/:_authToken=${NPM_TOKEN}

          Anybody may read that. npm gets the token only when it is run so:

              llavero run --env NPM_TOKEN=llavero://npm -- npm whoami

          """#)
    ])
}
