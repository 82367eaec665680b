import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { generatedFiles } from '../../scripts/generated.ts'
import { freshDatabase } from '../support/database/database.ts'

test('generated files are up to date (otherwise run npm run generate)', async () => {
  const database = await freshDatabase()
  const files = await generatedFiles(database.url)
  const stale: string[] = []
  for (const [file, content] of files) if ((await readFile(file, 'utf8')) !== content) stale.push(file)
  expect(stale).toEqual([])
  expect(files.length).toBeGreaterThan(7)
  await database.drop()
})
