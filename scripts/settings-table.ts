import { settingsList } from '#main/settings/settings.ts'

/** The settings table of the README. */
export function settingsTable(): string {
  const rows = Object.entries(settingsList).map(
    ([name, { standard, help }]) => `| \`${name}\` | ${standard ? `\`${standard}\`` : ''} | ${help} |`,
  )
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n')
}
