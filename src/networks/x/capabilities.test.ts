import { expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { NetworkInstallation } from '../connector/network-app.ts'
import { manifest } from './manifest.ts'
import { openX } from './x.ts'

test('the plan of the account, or else of the app, determines lengths, replies and likes', () => {
  const app = { ...manifest.app, clientId: 'id', clientSecret: 'secret', options: { tier: 'enterprise' } }
  const x = openX(app, {} as NetworkInstallation)
  const actor = sandboxActor('Twitter')
  expect(x.limits(actor).text).toEqual({ max: 280, unit: 'x-weighted' })
  expect(x.limits({ ...actor, tier: 'premium' }).text.max).toBe(25_000)
  expect(x.capabilities(actor)).toMatchObject({ reply: 'yes', like: 'yes', document: 'no', firstComment: 'yes' })
  const small = x.capabilities({ ...actor, tier: 'self-serve' })
  expect(small.reply).toEqual({ gated: expect.stringContaining('mention or quote'), unless: 'mentioned' })
  expect(small.like).toEqual({ gated: expect.any(String) })
  expect(x.capabilities({ ...actor, tier: undefined }).like).toBe('yes')
  const cheap = openX({ ...app, options: {} }, {} as NetworkInstallation)
  expect(cheap.capabilities({ ...actor, tier: undefined }).reply).toEqual(small.reply)
})
