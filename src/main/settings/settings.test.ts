import { describe, expect, test } from 'vitest'
import { readSettings } from './settings.ts'

describe('settings', () => {
  test('have the defaults of the README', () => {
    expect(readSettings({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      roles: ['api', 'worker', 'links'],
      processes: 1,
      demo: false,
      rateLimit: {
        windows: [
          { name: 'second', calls: 60, seconds: 1 },
          { name: 'five', calls: 120, seconds: 5 },
        ],
        day: 50_000,
        blockSeconds: 900,
      },
    })
  })

  test.each([
    [
      { CHORUS_DEMO_API_KEY: 'short' },
      'CHORUS_DEMO_API_KEY must be 8 to 200 printable characters without blanks and colons.',
    ],
    [{ CHORUS_PROT: '80' }, 'CHORUS_PROT is not a setting; did you mean CHORUS_PORT?'],
    [{ CHORUS_DATABASEURL: 'x' }, 'CHORUS_DATABASEURL is not a setting; did you mean CHORUS_DATABASE_URL?'],
    [{ CHORUS_PORT: 'eighty' }, 'CHORUS_PORT must be a whole number from 0 to 65535.'],
    [{ CHORUS_PORT: '70000' }, 'CHORUS_PORT must be a whole number from 0 to 65535.'],
    [
      { CHORUS_DATABASE_URL: 'mysql://x' },
      'CHORUS_DATABASE_URL must be a URL that starts with postgres:// or postgresql://.',
    ],
    [
      { CHORUS_ROLES: 'api,wroker' },
      'CHORUS_ROLES names the role "wroker"; it must be all, or any of api, worker, links.',
    ],
    [
      { CHORUS_RATE_LIMIT: 'minute=5' },
      'CHORUS_RATE_LIMIT must be on, off, or numbers such as second=60,five=120,day=50000,block=900.',
    ],
    [{ CHORUS_DEMO: 'yes' }, 'CHORUS_DEMO must be 1 or 0.'],
    [{ CHORUS_TLS_CERT: 'a.pem' }, 'CHORUS_TLS_CERT and CHORUS_TLS_KEY go together; one of them is missing.'],
    [
      { CHORUS_TRUSTED_PROXIES: '10.0.0.0/40' },
      'CHORUS_TRUSTED_PROXIES holds "10.0.0.0/40", which is neither an IP address nor a CIDR range.',
    ],
    [
      { CHORUS_DEMO_API_KEY: 'a b' },
      'CHORUS_DEMO_API_KEY must be 8 to 200 printable characters without blanks and colons.',
    ],
    [
      { CHORUS_SECRET_KEYS: 'k1:abc' },
      'CHORUS_SECRET_KEYS Each key is written id:base64, with 32 random bytes in base64, e.g. from: openssl rand -base64 32.',
    ],
    [{ CHORUS_SMTP_URL: 'mail.example.com' }, 'CHORUS_SMTP_URL must be a URL that starts with smtp:// or smtps://.'],
    [{ CHORUS_MAIL_FROM: 'Chorus' }, 'CHORUS_MAIL_FROM must be an address such as Chorus <chorus@example.com>.'],
    [{ CHORUS_LOG_LEVEL: 'loud' }, 'CHORUS_LOG_LEVEL must be one of silent, fatal, error, warn, info, debug.'],
  ])('refuse %j', (environment, sentence) => {
    expect(() => readSettings(environment)).toThrow(new Error(sentence))
  })

  test('report all problems at once and ignore other variables', () => {
    expect(() => readSettings({ CHORUS_PORT: 'x', CHORUS_DEMO: 'y', PATH: '/bin' })).toThrow(
      /CHORUS_PORT .*\nCHORUS_DEMO /,
    )
  })
})
