import { afterAll, beforeAll, expect, test } from 'vitest'
import { markInvalid, warnOfExpiry } from '#areas/profiles/access/invalid-profile.ts'
import { disableIfFailing } from '#areas/webhooks/webhook.ts'
import { change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { openNetworks } from '#networks/networks.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { openPatientDatabase } from '../support/database/patient-database.ts'
import { elsewhere } from '../support/files.ts'
import { demoAccount, nowhere, startTestService, type TestService, testKeys } from '../support/service.ts'

let service: TestService
let database: Database
beforeAll(async () => {
  // No worker sends the emails, so they can be read from the queue.
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

const context = () => {
  const installation = {
    database,
    listener: undefined,
    clock: systemClock,
    keyring: readKeyring(testKeys),
    outbound: nowhere,
    ...elsewhere,
    publicUrl: () => service.url,
  }
  return { ...installation, networks: openNetworks({}, { outbound: nowhere, clock: systemClock }) }
}
const profile = '003-1-100200300400501'

/** Triggers of each kind of email. */
const triggers: { [subject: string]: () => Promise<unknown> } = {
  'asks you to approve': async () => {
    const workflow = await service.admin('POST /app/api/workflow', {
      body: { name: 'Mails', steps: [{ name: 'Check', approverIds: '00Ademo00000002' }] },
    })
    const message = await service.contributor('POST /message', {
      body: { network: 'Twitter', campaignId: '002demo00000001', message: 'Words' },
    })
    const body = { entityId: message.json.Message.Id, workflowId: workflow.json.Workflow.Id }
    const sent = await service.contributor('POST /workflow-item', { body })
    expect(sent.status).toBe(200)
    await service.publisher(`POST /workflow-item/${sent.json.Data.Id}`, { body: { action: 'reject', note: 'No' } })
  },
  'must be connected again before': async () => {
    const text = `update credentials set expires_on = now() + interval '2 days' where id = $1`
    await ownerQuery(service.databaseUrl, text, [profile])
    await change(context(), systemActor(demoAccount, systemClock.now()), warnOfExpiry)
  },
  'no longer lets Chorus use': async () => {
    const [row] = await ownerQuery<{ version: number }>(
      service.databaseUrl,
      'select secret_version::int as version from credentials where id = $1',
      [profile],
    )
    await markInvalid(
      context(),
      { accountId: demoAccount, id: profile },
      row?.version ?? 0,
      'The password was changed.',
    )
  },
  'was switched off': async () => {
    const body = { event: 'postSent', name: 'Mails', url: 'https://93.184.216.34/hook' }
    const { Id } = (await service.admin('POST /webhook', { body })).json.Webhook
    const claim = { account: demoAccount, webhook: Id, fence: 0, wakes: 0 }
    await disableIfFailing(context(), claim as never, { gone: true, error: '' } as never, null)
  },
  'Your password for': () => service.admin('POST /user/00Ademo00000002', { body: publisher }),
  'New API key': () => service.publisher('POST /app/api/api-key', { body: { name: 'Mails' } }),
  'New sign-in': async () => {
    await service.admin('POST /user/00Ademo00000002', { body: publisher })
    const { status } = await fetch(`${service.url}/app/api/session`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'pablo.reyes@example.com', ...publisher }),
    })
    expect(status).toBe(200)
  },
}

const publisher = { password: 'the ferry leaves at nine' }

test.each(Object.entries(triggers))(
  'an email with the subject "%s" contains only working links',
  async (subject, cause) => {
    await cause()
    const mails = await ownerQuery<{ subject: string; text: string }>(
      service.databaseUrl,
      `select payload ->> 'subject' as subject, payload ->> 'text' as text from jobs where queue = 'mail'`,
    )
    const about = mails.filter((mail) => mail.subject.includes(subject))
    expect(about.length).toBeGreaterThan(0)
    for (const { text } of mails) {
      for (const [address] of text.matchAll(/https?:\/\/\S+/g)) {
        if (!address.startsWith(service.url)) continue
        const { status } = await fetch(address, { redirect: 'manual' })
        expect([address, status]).not.toEqual([address, 404])
      }
      // Paths of the service always include the host, or are API operations.
      expect(text.replaceAll(service.url, '')).not.toMatch(/(open|see) \/app\//)
      for (const [, method, path = ''] of text.matchAll(/(GET|POST|PUT|DELETE) (\/v2\/[^\s;,]+)/g)) {
        const { status } = await fetch(`${service.url}${path.split('?')[0]}`, { method: method as string })
        expect([path, status]).toEqual([path, 401])
      }
    }
  },
)
