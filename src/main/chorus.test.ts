import { expect, test } from 'vitest'
import { runCommand } from './chorus.ts'

test('a former command name still works and prints the current name', async () => {
  const lines: string[] = []
  const settings = () => {
    throw new Error('The settings are read.')
  }
  const run = (args: string[]) =>
    runCommand(
      args,
      settings,
      () => {},
      (line) => lines.push(line),
    )
  await expect(run(['figures', 'rebuild', '--account', 'x'])).rejects.toThrow('The settings are read.')
  await expect(run(['counters', 'rebuild'])).rejects.toThrow('The settings are read.')
  await expect(run(['figures', 'rebuilt'])).rejects.toThrow('There is no command')
  expect(lines).toEqual([
    'chorus figures rebuild was renamed to chorus counters rebuild. The former name works until the next version.',
  ])
})
