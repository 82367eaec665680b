import { parseArgs } from 'node:util'
import { accountCommands } from './commands/account.ts'
import type { Command, Say } from './commands/command.ts'
import { credentialCommands } from './commands/credential.ts'
import { distributeCommands } from './commands/distribute.ts'
import { exportCommands } from './commands/export.ts'
import { figuresCommands } from './commands/figures.ts'
import { filesCommands } from './commands/files.ts'
import { jobsCommands } from './commands/jobs.ts'
import { keyCommands } from './commands/key.ts'
import { leadCommands } from './commands/lead.ts'
import { linkCommands } from './commands/link.ts'
import { nearest } from './commands/nearest.ts'
import { networksCommands } from './commands/networks.ts'
import { secretsCommands } from './commands/secrets.ts'
import { transferCommands } from './commands/transfer.ts'
import { userCommands } from './commands/user.ts'
import { webhookCommands } from './commands/webhook.ts'
import { launch } from './process/launch.ts'
import { version } from './project.ts'
import type { Settings } from './settings/settings.ts'

const commands: readonly Command[] = [
  { name: 'start', summary: 'Run the service', run: (settings, _options, say) => launch(settings, say) },
  ...accountCommands,
  ...userCommands,
  ...keyCommands,
  ...credentialCommands,
  ...networksCommands,
  ...figuresCommands,
  ...filesCommands,
  ...jobsCommands,
  ...leadCommands,
  ...linkCommands,
  ...secretsCommands,
  ...webhookCommands,
  ...exportCommands,
  ...transferCommands,
  ...distributeCommands,
]

export async function runCommand(args: string[], settings: () => Settings, say: Say) {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') return say(help())
  if (args[0] === '--version') return say(version)
  const words = args.slice(0, args.findIndex((word) => word.startsWith('--')) >>> 0).join(' ')
  const command = commands.find(({ name, word }) => name === words || (word && words.startsWith(`${name} `)))
  if (!command)
    throw new Error(
      `There is no command "${words}"; did you mean "${nearest(
        words,
        commands.map(({ name }) => name),
      )}"? See: chorus help`,
    )
  const given = args.slice(command.name.split(' ').length)
  await command.run(settings(), readOptions(command, given), say)
}

function readOptions({ name, word, options = {} }: Command, args: string[]): { [name: string]: string } {
  const types = Object.entries(options).map(([option, { flag }]) => [option, { type: flag ? 'boolean' : 'string' }])
  const known: { [option: string]: { type: 'boolean' | 'string' } } = Object.fromEntries(types)
  const { values, positionals } = parseArgs({
    args,
    options: known,
    strict: true,
    allowPositionals: word !== undefined,
  })
  const isTooFew = !word?.isOptional && positionals.length === 0
  if (word && (isTooFew || positionals.length > 1))
    throw new Error(`chorus ${name} ${word.isOptional ? 'takes' : 'needs'} one ${word.name}. See: chorus help`)
  if (word && positionals.length > 0) Object.assign(values, { [word.name]: positionals[0] })
  const missing = Object.entries(options).filter(([option, { required }]) => required && !values[option])
  if (missing.length > 0)
    throw new Error(`chorus ${name} needs ${missing.map(([option]) => `--${option}`).join(', ')}. See: chorus help`)
  return Object.fromEntries(Object.entries(values).map(([option, value]) => [option, String(value)]))
}

function help(): string {
  const lines = commands.flatMap(({ name, word, summary, options = {} }) => [
    `  chorus ${name.padEnd(20)}${summary}`,
    ...(word ? [`      ${`<${word.name}>`.padEnd(16)}${word.help}${word.isOptional ? '' : ' (required)'}`] : []),
    ...Object.entries(options).map(
      ([option, { help, required }]) => `      --${option.padEnd(14)}${help}${required ? ' (required)' : ''}`,
    ),
  ])
  return [`Chorus ${version}`, '', ...lines, '', 'Settings are CHORUS_* variables; the README lists them.'].join('\n')
}
