import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminOf, makeUser, signedIn } from './test-users.ts'
import { barriers, navigate, phone, scrollsSideways, settled, type Visitor, visitor } from './visitor.ts'

let admin: Visitor
beforeAll(async () => {
  admin = await visitor('admin')
})
afterAll(() => admin.close())

const rows = (name: string) => admin.page.locator(`[data-ui=table] tbody tr:has-text("${name}")`)

test('an invited user accepts the link on a phone, and is a member of the team', async () => {
  const { page, complaints } = admin
  await navigate(page, '/app/people')
  await page.keyboard.press('n')
  await page.fill('dialog [name=email]', 'tess.holm@example.com')
  await page.selectOption('dialog [name=role]', 'contributor')
  await page.getByRole('combobox', { name: 'Teams' }).fill('Asia')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.click('dialog button[type=submit]')
  await page.waitForURL('**/app/people?view=invitations')
  const invitation = page.locator('[data-testid=invitation]:has-text("tess.holm@example.com")')
  // The email is sent automatically; if it does not arrive, a link can be copied.
  await expect.poll(() => invitation.textContent()).toContain('Has not come yet')
  await invitation.getByRole('button', { name: 'Get a link' }).click()
  const link = await page.inputValue('dialog input[readonly]:not([hidden])')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.click('dialog button[type=submit]')
  expect(await page.content()).not.toContain(link.split('token=')[1])

  const tess = await visitor(undefined, phone)
  await tess.page.goto(link)
  await settled(tess.page)
  await tess.page.fill('[name=firstName]', 'Tess')
  await tess.page.fill('[name=lastName]', 'Holm')
  await tess.page.fill('[name=password]', 'a boat in the bay')
  await tess.page.tap('text=Begin')
  await tess.page.waitForSelector('[data-testid=shell] h1')
  await navigate(tess.page, '/app/people')
  expect(await tess.page.locator('[data-ui=header-actions]').count(), 'contributors cannot invite users').toBe(0)
  expect([await scrollsSideways(tess.page), tess.complaints]).toEqual([[], []])

  // The list of invitations is updated when she joins.
  await expect.poll(() => invitation.count()).toBe(0)
  await page.click('[data-ui=tabs] >> text=Users')
  await rows('Tess Holm').click()
  await expect.poll(() => page.textContent('[data-ui=panel]')).toContain('Contributor')
  expect(await page.textContent('[data-ui=panel] [data-ui=combobox-chosen]')).toContain('Asia Pacific')
  expect(complaints).toEqual([])
  await tess.close()
})

test('changing a role shows the consequences, and the user’s page follows a changed role and a deletion', async () => {
  const { page } = admin
  const user = await makeUser('Bodil', 'read')
  const bodil = await signedIn(user)
  await navigate(bodil.page, '/app/library')
  const mayUpload = () => bodil.page.getByRole('button', { name: 'Upload' }).count()
  expect(await mayUpload()).toBe(0)
  await navigate(page, `/app/people?user=${user.id}`)
  const changeRole = async (role: string) => {
    await page.click('[data-ui=panel] >> text=Change the role')
    await page.selectOption('dialog select', role)
    await expect.poll(() => page.textContent('dialog [data-testid=role-change]')).toContain('It counts at once')
    const consequences = await page.textContent('dialog [data-testid=role-change]')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
    return consequences
  }
  expect(await changeRole('publisher')).toContain('publish and approve')
  await expect.poll(mayUpload).toBe(1)
  await bodil.page.keyboard.press('u')
  expect(await changeRole('read')).toContain('May then no longer')
  await expect.poll(mayUpload).toBe(0)
  expect(bodil.complaints).toEqual([])

  await page.click('[data-ui=panel-actions] >> text=Delete')
  await page.waitForSelector('dialog >> text=1 sign-in ends at once.')
  expect(await barriers(page, 'dialog[open]')).toEqual([])
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('[data-ui=toast]:has-text("Bodil Vale was deleted.")')
  await bodil.page.waitForSelector('dialog[open] [name=password]')
  await navigate(page, `/app/people?user=${user.id}`)
  await expect.poll(() => page.textContent('[data-ui=panel]')).toContain('There is no such user')
  await bodil.close()
})

test('a team is created, gets users and a campaign, loses them, and is deleted', async () => {
  // A separate campaign: other tests would lose access to a shared one meanwhile.
  const campaign = 'Northern lights'
  const call = await adminOf()
  const campaignId = (await call('POST /campaign', { body: { name: campaign } })).json.Campaign.Id
  const { page } = admin
  await navigate(page, '/app/people?view=teams')
  await page.keyboard.press('n')
  await page.fill('dialog [name=name]', 'Nordics')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-ui=panel] >> text=Nordics')
  const add = async (field: string, name: string) => {
    await page.getByRole('combobox', { name: field }).fill(name)
    await page.click(`[role=option] >> text=${name}`)
    await page.waitForSelector(`[data-ui=panel] [data-testid=entity-list] >> text=${name}`)
  }
  await add('Add somebody', 'Rina')
  await add('Add a campaign', campaign)
  await expect.poll(() => rows('Nordics').textContent()).toContain('1 campaign')
  await page.click(`[data-ui=panel] button[aria-label="Take ${campaign} from the team"]`)
  await expect.poll(() => rows('Nordics').textContent()).toContain('What is open to all')
  await page.click('[data-ui=panel-actions] >> text=Delete the team')
  expect(await page.textContent('dialog')).toContain('1 person stays, without this team.')
  await page.click('dialog button[type=submit]')
  await expect.poll(() => rows('Nordics').count()).toBe(0)
  await call(`DELETE /campaign/${campaignId}`)
})

test('the last admin can be neither demoted nor deleted, and the reason is shown', async () => {
  const { page } = admin
  await navigate(page, '/app/people?user=00Ademo00000001')
  await page.click('[data-ui=panel] >> text=Change the role')
  await page.waitForSelector('dialog >> text=last admin of the account')
  await page.keyboard.press('Escape')
})
