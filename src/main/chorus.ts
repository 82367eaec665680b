import { runCommand } from './commands.ts'
import { readSettings } from './settings/settings.ts'

/** The command line: `chorus <command> …`. Errors the operator can fix are reported in a sentence, without a stack trace. */
export async function main(args: string[]) {
  try {
    await runCommand(
      args,
      () => readSettings(process.env),
      (line) => process.stdout.write(`${line}\n`),
    )
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}
