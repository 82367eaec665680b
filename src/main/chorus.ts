import { runCommand } from './commands.ts'
import { readSettings } from './settings/settings.ts'

/** The program: `chorus <command> …`. Problems a person can mend are told in a sentence, without a stack. */
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
