import { expect, test } from 'vitest'
import { formerSettings } from './former-settings.ts'
import { readSettings } from './settings.ts'

const values: { readonly [name: string]: string } = { CHORUS_FEED_LIMITS: 'session=2,account=3' }

test.each(Object.entries(formerSettings))(
  '%s still works, and a warning names its replacement %s',
  (former, current) => {
    const value = values[current] ?? '90s'
    const lines: string[] = []
    const warn = (line: string) => lines.push(line)
    expect(readSettings({ [former]: value }, warn)).toEqual(readSettings({ [current]: value }))
    expect(readSettings({ [former]: value })).not.toEqual(readSettings({}))
    expect(lines).toEqual([`${former} was renamed to ${current}. The former name works until the next version.`])
  },
)

test('the current name of a setting takes precedence over a former one', () => {
  const both = { CHORUS_WEBHOOK_WAITS: '90s', CHORUS_WEBHOOK_RETRY_DELAYS: '10s' }
  expect(readSettings(both).webhookRetryDelays).toEqual([10_000])
})
