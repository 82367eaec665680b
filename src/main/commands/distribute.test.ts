import { expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'
import { isCluster } from '../../../tests/support/database/nodes.ts'

const line = commandLine()

test('without the address of a server there is nothing to lay out', async () => {
  await expect(line.chorus('distribute', { CHORUS_DATABASE_URL: '' })).rejects.toThrow('needs CHORUS_DATABASE_URL')
})

test.each(['distribute', 'distribute --plan'])('%s says what is missing, or that all is done', async (words) => {
  const saying = line.chorus(words)
  if (isCluster) expect(await saying).toContain('Every table lies where it belongs.')
  else await expect(saying).rejects.toThrow('The database has no Citus: on each node run "create extension citus"')
})

test('a flag takes no value, and one that nobody knows is refused', async () => {
  await expect(line.chorus('distribute --plan now')).rejects.toThrow()
  await expect(line.chorus('distribute --plane')).rejects.toThrow()
})
