import { afterAll, beforeAll } from 'vitest'
import { runCommand } from '#main/commands.ts'
import { readSettings } from '#main/settings/settings.ts'
import { freshDatabase } from './database/database.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface CommandLine {
  databaseUrl: string
  dataDir: string
  /** Runs one command as a person would type it, in this process, and gives what it says; `hear` gets it also if the command fails. */
  chorus: (words: string, environment?: Record<string, string>, hear?: (line: string) => void) => Promise<string>
}

/** What `npx chorus` does with these words, in this process; gives what it says. */
export async function chorusHere(
  words: string[],
  environment: Record<string, string>,
  hear: (line: string) => void = () => {},
): Promise<string> {
  const said: string[] = []
  await runCommand(
    words,
    () => readSettings(environment),
    (text) => {
      said.push(text)
      hear(text)
    },
  )
  return said.join('\n')
}

/** The command line on a database and a data folder of one's own, for the tests of one file. */
export function commandLine(): CommandLine {
  const line: CommandLine = {
    databaseUrl: '',
    dataDir: '',
    chorus: (words, environment = {}, hear = () => {}) =>
      chorusHere(
        words.split(' '),
        { CHORUS_DATABASE_URL: line.databaseUrl, CHORUS_DATA_DIR: line.dataDir, ...environment },
        hear,
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
