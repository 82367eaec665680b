import { afterAll, beforeAll } from 'vitest'
import { runCommand } from '#main/chorus.ts'
import { readSettings } from '#main/settings/settings.ts'
import { freshDatabase } from './database/database.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface CommandLine {
  databaseUrl: string
  dataDir: string
  /** Runs a command in this process and returns its output; `hear` receives the output even if the command fails. */
  chorus: (command: string, environment?: Record<string, string>, onOutput?: (line: string) => void) => Promise<string>
}

/** Runs `npx chorus` with these arguments in this process; returns the output. */
export async function chorusHere(
  command: string[],
  environment: Record<string, string>,
  onOutput: (line: string) => void = () => {},
): Promise<string> {
  const said: string[] = []
  await runCommand(
    command,
    () => readSettings(environment),
    (text) => {
      said.push(text)
      onOutput(text)
    },
  )
  return said.join('\n')
}

/** The command line on a separate database and data folder, for one test file. */
export function commandLine(): CommandLine {
  const line: CommandLine = {
    databaseUrl: '',
    dataDir: '',
    chorus: (command, environment = {}, onOutput = () => {}) =>
      chorusHere(
        command.split(' '),
        { CHORUS_DATABASE_URL: line.databaseUrl, CHORUS_DATA_DIR: line.dataDir, ...environment },
        onOutput,
      ),
  }
  const endings: (() => Promise<void>)[] = []
  beforeAll(async () => {
    const database = await freshDatabase()
    const folder = await temporaryFolder()
    endings.push(database.drop, folder.remove)
    line.databaseUrl = database.url
    line.dataDir = folder.path
  })
  afterAll(async () => {
    for (const end of endings) await end()
  })
  return line
}
