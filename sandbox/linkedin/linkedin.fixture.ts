import { afterAll, beforeAll } from 'vitest'
import { testReceiver, testSandbox } from '../sandbox.fixture.ts'

export const page = '2414183'
export const author = `urn:li:organization:${page}`
export const token = `sandbox-linkedin-${page}-access`
export const day = 86_400_000
export const versioned = { 'linkedin-version': '202611', 'x-restli-protocol-version': '2.0.0' }

/** A post of the page with all required fields. */
export const draft = (commentary: string, more: object = {}) => ({
  author,
  commentary,
  visibility: 'PUBLIC',
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: 'PUBLISHED',
  isReshareDisabledByAuthor: false,
  ...more,
})

/** Starts the sandbox and a webhook receiver for one test file. */
export function startLinkedInSandbox() {
  let sandbox: Awaited<ReturnType<typeof testSandbox>>
  let receiver: Awaited<ReturnType<typeof testReceiver>>
  beforeAll(async () => {
    // API version 202611 is active at this time, independent of the date of the test run.
    sandbox = await testSandbox({ clock: { now: () => new Date('2026-11-20T10:00:00Z') } })
    receiver = await testReceiver()
  })
  afterAll(async () => {
    await sandbox.close()
    await receiver.close()
  })
  const rest = (path: string, json?: unknown, method?: string) =>
    sandbox.call(`/linkedin${path}`, {
      token,
      headers: versioned,
      ...(json ? { json } : {}),
      ...(method ? { method } : {}),
    })
  const post = async (commentary: string, more?: object) =>
    (await rest('/rest/posts', draft(commentary, more))).headers.get('x-restli-id') ?? ''
  return {
    rest,
    post,
    get sandbox() {
      return sandbox
    },
    get receiver() {
      return receiver
    },
  }
}
