import { beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'

const line = commandLine()
let account = ''
beforeAll(async () => {
  const output = await line.chorus(
    'account create --name Example --email ada@example.com --first-name Ada --last-name Marsh',
  )
  account = /001\w{12}/.exec(output)?.[0] ?? ''
})

test('the operator lists users and changes roles, except that of the last admin', async () => {
  const list = await line.chorus(`user list --account ${account}`)
  expect(list).toMatch(/^00A\w{12} {2}admin {8}ada@example\.com {2}Ada Marsh$/)
  const id = /00A\w{12}/.exec(list)?.[0]
  const role = (user: string, name: string) =>
    line.chorus(`user role --account ${account} --user ${user} --role ${name}`)
  await expect(role(`${id}`, 'publisher')).rejects.toThrow('The last admin of an account must stay one.')
  expect(await role('ADA@example.com', 'admin')).toBe('Ada Marsh (ada@example.com) has the role admin now.')
  await expect(role('ada@example.com', 'owner')).rejects.toThrow('--role must be one of admin, publisher')
  await expect(role('bea@example.com', 'read')).rejects.toThrow(`The account ${account} has no user bea@example.com.`)
  await expect(line.chorus('user role --account 001nobody000000 --user x --role read')).rejects.toThrow('has no user x')
})
