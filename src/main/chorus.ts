import { parseArgs } from 'node:util'
import { accountCommands, keyCommands, userCommands } from './commands/accounts.ts'
import type { Command, Print } from './commands/command.ts'
import { countersCommands, filesCommands } from './commands/consistency.ts'
import { exportCommands, leadCommands } from './commands/export.ts'
import { jobsCommands } from './commands/jobs.ts'
import { linkCommands } from './commands/link.ts'
import { credentialCommands, networksCommands } from './commands/networks.ts'
import { secretsCommands } from './commands/secrets.ts'
import { distributeCommands, transferCommands } from './commands/transfer.ts'
import { webhookCommands } from './commands/webhook.ts'
import { launch } from './process/launch.ts'
import { version } from './project.ts'
import { nearest } from './settings/setting-readers.ts'
import { readSettings, type Settings } from './settings/settings.ts'

const warn = (line: string) => process.stderr.write(`${line}\n`)

/** The command line: `chorus <command> …`. Errors the operator can fix are reported in a sentence, without a stack trace. */
export async function main(args: string[]) {
  try {
    await runCommand(
      args,
      () => readSettings(process.env, warn),
      (line) => process.stdout.write(`${line}\n`),
      warn,
    )
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

const commands: readonly Command[] = [
  { name: 'start', summary: 'Run the service', run: (settings, _options, print) => launch(settings, print) },
  ...accountCommands,
  ...userCommands,
  ...keyCommands,
  ...credentialCommands,
  ...networksCommands,
  ...countersCommands,
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

/** Former names, which work until the next version. */
const formerCommands: { readonly [command: string]: string } = { 'figures rebuild': 'counters rebuild' }

function withCurrentName(args: string[], warn: Print): string[] {
  const [former, current] =
    Object.entries(formerCommands).find(([name]) => `${args.join(' ')} `.startsWith(`${name} `)) ?? []
  if (!former || !current) return args
  warn(`chorus ${former} was renamed to chorus ${current}. The former name works until the next version.`)
  return [...current.split(' '), ...args.slice(former.split(' ').length)]
}

export async function runCommand(argv: string[], settings: () => Settings, print: Print, warn: Print = () => {}) {
  const args = withCurrentName(argv, warn)
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') return print(help())
  if (args[0] === '--version') return print(version)
  const commandLine = args.slice(0, args.findIndex((argument) => argument.startsWith('--')) >>> 0).join(' ')
  const command = commands.find(
    ({ name, argument }) => name === commandLine || (argument && commandLine.startsWith(`${name} `)),
  )
  if (!command)
    throw new Error(
      `There is no command "${commandLine}"; did you mean "${nearest(
        commandLine,
        commands.map(({ name }) => name),
      )}"? See: chorus help`,
    )
  const rest = args.slice(command.name.split(' ').length)
  await command.run(settings(), readOptions(command, rest), print)
}

function readOptions({ name, argument, options = {} }: Command, args: string[]): { [name: string]: string } {
  const types = Object.entries(options).map(([option, { flag }]) => [option, { type: flag ? 'boolean' : 'string' }])
  const known: { [option: string]: { type: 'boolean' | 'string' } } = Object.fromEntries(types)
  const { values, positionals } = parseArgs({
    args,
    options: known,
    strict: true,
    allowPositionals: argument !== undefined,
  })
  const isTooFew = !argument?.isOptional && positionals.length === 0
  if (argument && (isTooFew || positionals.length > 1))
    throw new Error(`chorus ${name} ${argument.isOptional ? 'takes' : 'needs'} one ${argument.name}. See: chorus help`)
  if (argument && positionals.length > 0) Object.assign(values, { [argument.name]: positionals[0] })
  const missing = Object.entries(options).filter(([option, { required }]) => required && !values[option])
  if (missing.length > 0)
    throw new Error(`chorus ${name} needs ${missing.map(([option]) => `--${option}`).join(', ')}. See: chorus help`)
  return Object.fromEntries(Object.entries(values).map(([option, value]) => [option, String(value)]))
}

function help(): string {
  const lines = commands.flatMap(({ name, argument, summary, options = {} }) => [
    `  chorus ${name.padEnd(20)}${summary}`,
    ...(argument
      ? [`      ${`<${argument.name}>`.padEnd(16)}${argument.help}${argument.isOptional ? '' : ' (required)'}`]
      : []),
    ...Object.entries(options).map(
      ([option, { help, required }]) => `      --${option.padEnd(14)}${help}${required ? ' (required)' : ''}`,
    ),
  ])
  return [`Chorus ${version}`, '', ...lines, '', 'Settings are CHORUS_* variables; the README lists them.'].join('\n')
}
