import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { migrationFolders } from '#main/project.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { generatedFiles } from './generated.ts'

/** `npm run generate` writes the generated files; with --check it reports outdated ones instead. */
async function main(check: boolean) {
  const stale: string[] = []
  for (const [file, content] of await generated()) {
    if ((await readFile(file, 'utf8').catch(() => '')) === content) continue
    stale.push(file)
    if (!check) await writeFile(file, content)
  }
  if (check && stale.length > 0) {
    console.error(`Out of date: ${stale.join(', ')}. Run: npm run generate`)
    process.exit(1)
  }
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Generated files are up to date.')
}

async function generated(): Promise<[file: string, content: string][]> {
  const folder = await temporaryFolder()
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres'), settings: { fsync: 'off' } })
  try {
    await migrate(server.url, migrationFolders)
    return await generatedFiles(server.url)
  } finally {
    await server.stop()
    await folder.remove()
  }
}

await main(process.argv.includes('--check'))
