import { beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'

const line = commandLine()
let account = ''
beforeAll(async () => {
  const output = await line.chorus(
    'account create --name Example --email ada@example.com --first-name Ada --last-name Marsh',
  )
  account = /001\w{12}/.exec(output)?.[0] ?? ''
  await ownerQuery(
    line.databaseUrl,
    `with campaign as (insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
        values ($1, '002example00001', now(), now(), '', '', 'Example', 'active', '#000000')),
      link as (insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
        values ($1, '008example00001', now(), now(), 'Abuse001', '002example00001', '', '003-1-x', 'Twitter', 'https://bad.example/', 'https://bad.example/'))
    insert into link_hashes (hash, account, link, long_url) values ('Abuse001', $1, '008example00001', 'https://example.com/')`,
    [account],
  )
})

const chorus = (args: string) => line.chorus(args, { CHORUS_SHORT_URL: 'https://go.example' })

test('the operator inspects, disables and enables a link', async () => {
  const shown = await chorus('link show --hash Abuse001')
  for (const part of [account, '008example00001', 'https://go.example/Abuse001', 'https://bad.example/'])
    expect(shown).toContain(part)
  expect(await chorus('link disable --hash Abuse001 --reason Phishing')).toContain('leads nowhere')
  expect(await chorus('link show --hash Abuse001')).toMatch(
    /Switched off .* Phishing[\s\S]*disabled {2}by the operator/,
  )
  await expect(chorus('link disable --hash Abuse001')).rejects.toThrow('switched off already')
  expect(await chorus('link enable --hash Abuse001')).toContain('leads to https://bad.example/ again')
  await expect(chorus('link show --hash absent00')).rejects.toThrow('Link not found.')
})
