extension KnownTool {
  /// rclone, which takes each option of a remote from a variable.
  static let rclone = KnownTool(
    name: "rclone", imports: ["rclone"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "rclone",
        text: #"""
          RCLONE

              llavero add https://cloud.example --account alice
              rclone config create cloud webdav \
                url=https://cloud.example vendor=other user=alice
              llavero run --env PASS=llavero+https://alice@cloud.example -- sh -c \
                'RCLONE_CONFIG_CLOUD_PASS=$(printf %s "$PASS" | rclone obscure -) \
                exec rclone lsd cloud:'

          rclone logs in as alice, and its file has no password. It wants passwords
          obscured, and takes keys, such as RCLONE_CONFIG_S3_SECRET_ACCESS_KEY, as
          they are.

          """#)
    ])
}
