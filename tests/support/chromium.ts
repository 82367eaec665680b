import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { type BrowserServer, chromium } from 'playwright-core'

/** The headless shell first: it needs a quarter less CPU. */
const usual = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

const get = 'apt-get install -y -q --no-install-recommends'
const install = `apt-get update -q && (${get} chromium-headless-shell || ${get} chromium)`

/** The installed browser; otherwise Debian's is installed. */
async function findChromium(): Promise<string> {
  const find = () => [process.env.TEST_BROWSER ?? '', ...usual].find((path) => path !== '' && existsSync(path))
  const found = find()
  if (found) return found
  try {
    await promisify(execFile)('sh', ['-c', install], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  } catch (error) {
    throw new Error('There is no Chromium, and it could not be installed. Install it, or name one with TEST_BROWSER.', {
      cause: error,
    })
  }
  return find() ?? ''
}

/** Names under .test resolve to this machine. */
export const launchBrowser = async (): Promise<BrowserServer> =>
  chromium.launchServer({
    executablePath: await findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-extensions',
      '--mute-audio',
      '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LocalNetworkAccessChecks',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  })
