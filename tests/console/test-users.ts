import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Role } from '#kernel/permissions.ts'
import { type Caller, caller } from '../support/caller.ts'
import { sharedKey } from '../support/keeper.ts'
import { sharedProgram } from '../support/shared-browser.ts'
import { settled, type Visitor, visitor } from './visitor.ts'

export const account = '001demo00000001'

/** The demo's admin with their API key. */
export const adminOf = async (): Promise<Caller> => caller((await sharedProgram()).url, account, sharedKey)

export interface TestUser {
  id: string
  email: string
  password: string
}

/** A separate user for a test, so that other tests don't affect their sessions. */
export async function makeUser(name: string, role: Role = 'publisher'): Promise<TestUser> {
  const admin = await adminOf()
  const [email, password] = [`${name.toLowerCase()}@example.com`, 'the ferry leaves at nine']
  const names = { firstName: name, lastName: 'Vale' }
  const { json } = await admin('POST /user', { body: { email, password, role, ...names } })
  return { id: json.User.Id, email, password }
}

/** A browser in which the user has signed in with their password. */
export async function signedIn(
  { email, password }: Pick<TestUser, 'email' | 'password'>,
  ...how: [options?: Parameters<typeof visitor>[1]]
): Promise<Visitor> {
  const opened = await visitor(undefined, ...how)
  await opened.open('/app/sign-in')
  await submitSignIn(opened, email, password)
  return opened
}

export async function submitSignIn({ page }: Visitor, email: string, password: string) {
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-testid=shell] h1')
  await settled(page)
}

/** The latest link emailed to a user. */
export async function linkMailedTo(address: string): Promise<string> {
  const outbox = join((await sharedProgram()).folder, 'outbox')
  let link: string | undefined
  await expect
    .poll(async () => {
      const names = await readdir(outbox).catch(() => [])
      const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
      const mail = mails
        .findLast((text) => text.includes(address) && text.includes('/app/') && text.includes('token='))
        ?.replace(/=\r?\n/g, '')
        .replaceAll('=3D', '=')
      link = /http:\S+\/app\/\S+token=\S+/.exec(mail ?? '')?.[0]
      return link
    })
    .toBeTruthy()
  return link ?? ''
}
