import { expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'
import { isCluster } from '../../../tests/support/database/nodes.ts'

const line = commandLine()

test('distribute requires the URL of a server', async () => {
  await expect(line.chorus('distribute', { CHORUS_DATABASE_URL: '' })).rejects.toThrow('needs CHORUS_DATABASE_URL')
})

test.each(['distribute', 'distribute --plan'])(
  '%s reports a missing extension, or that nothing is left to do',
  async (args) => {
    const output = line.chorus(args)
    if (isCluster) expect(await output).toContain('Every table lies where it belongs.')
    else await expect(output).rejects.toThrow('The database has no Citus: on each node run "create extension citus"')
  },
)

test('a flag takes no value, and unknown flags are rejected', async () => {
  await expect(line.chorus('distribute --plan now')).rejects.toThrow()
  await expect(line.chorus('distribute --plane')).rejects.toThrow()
})
