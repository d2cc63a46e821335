import Keychain
import ToolCommands

extension KnownTool {
  /// Ansible: the passwords of its vaults, for which llavero-vault-client needs no set-up, and that of sudo. For
  /// sudo's, ansible 2.19 runs a program without arguments, and by a link's target, not its name.
  static let ansible = KnownTool(
    ToolSetup(
      name: "ansible", programs: ["ansible", "ansible-playbook", "ansible-vault"],
      settings: { (place) throws(KeychainError) in
        let command = "\(try place.plain(LastingPath.ofProgram())) get --service ansible-become"
        return [ToolSetting(becoming(place), ProgramText(command: command))]
      },
      purpose: "for sudo's password; vaults need no set-up, see 'llavero help ansible'",
      result: "sudo's password for ansible comes from llavero now",
      byHand: ["ansible-vault"],
      next: { place in
        """
        store the password with 'llavero add --service ansible-become', and run ansible with \
        \(words: "--become-password-file", becoming(place).path); for vaults nothing has to be set up: see \
        'llavero help ansible'
        """
      }),
    speaks: "ansible", page: "llavero-vault-client(1)",
    recipes: [
      "ansible": """
          llavero add --service ansible:prod
          export ANSIBLE_VAULT_IDENTITY_LIST=prod@$(command -v llavero-vault-client)
          ansible-vault encrypt secrets.yml
          ansible-vault view secrets.yml

      ansible asks llavero for the password of the vault prod, and prints the file.
      Playbooks do so, too. For vaults nothing has to be set up. For sudo's password,
      see 'llavero help ansible-become'.
      """,
      "ansible-become": """
          llavero setup ansible-become
          llavero add --service ansible-become
          export ANSIBLE_BECOME_PASSWORD_FILE=~/.local/bin/llavero-ansible-become
          ansible all --become -m ping

      ansible asks llavero for the password with which it becomes root on the hosts.
      The first command makes the program that this needs, and says where it is.
      """,
    ])

  private static func becoming(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: place.home(".local/bin/llavero-ansible-become"), isProgram: true)
  }
}
