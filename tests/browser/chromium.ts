import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const install =
  'command -v chromium || { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; }'

/** The browser of this machine; where there is none, Debian's is installed. */
function findChromium(): string {
  const find = () => [process.env.CHORUS_TEST_BROWSER ?? '', ...usual].find((path) => path !== '' && existsSync(path))
  const found = find()
  if (found) return found
  try {
    const quietly = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
    // One installs, the others wait for it: the package manager refuses two at a time.
    execFileSync('flock', [join(tmpdir(), 'chorus-browser.lock'), 'sh', '-c', install], quietly)
  } catch (error) {
    throw new Error(
      'There is no Chromium, and it could not be installed. Install it, or name one with CHORUS_TEST_BROWSER.',
      { cause: error },
    )
  }
  return find() ?? ''
}

let opened: Promise<Browser> | undefined
let users = 0

/** One browser for all tests of a worker, with its own cookies and credentials for each who asks. Names under .test lead to this machine. */
export async function openBrowser(): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  users++
  opened ??= chromium.launch({
    executablePath: findChromium(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-extensions', '--mute-audio'],
      '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LocalNetworkAccessChecks',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  })
  const browser = await opened
  // The pages of the service allow no script, not even that of the tests.
  const context = await browser.newContext({ bypassCSP: true })
  return {
    context,
    async close() {
      await context.close()
      if (--users > 0) return
      opened = undefined
      await browser.close()
    },
  }
}
