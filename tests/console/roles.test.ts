import { afterAll, expect, test } from 'vitest'
import { type Ability, abilities, may, type Role, roles } from '#kernel/permissions.ts'
import { addressOf, operations, routeOf } from '../contract/operations.ts'
import { type Caller, caller } from '../support/caller.ts'
import { sharedKey } from '../support/keeper.ts'
import { deep } from '../support/randomness.ts'
import { adminOf, linkMailedTo, signedIn } from './test-users.ts'
import { leaveScreen, navigate, type Visitor, visitor } from './visitor.ts'

/** Actions a role lacks permission for are not offered, are rejected when called, and are explained on direct links. */

const visitors: Visitor[] = []
afterAll(() => Promise.all(visitors.map(({ close }) => close())))

/** One browser per role, shared by all tests. */
const known = new Map<Role, Promise<Visitor>>()
const visitorOf = (role: Role): Promise<Visitor> => {
  const one = known.get(role) ?? visitor(role)
  known.set(role, one)
  one.then((opened) => visitors.includes(opened) || visitors.push(opened))
  return one
}

/** No posts on this date: renders fast, and other tests don't change it. */
const quietCalendar = '/app/calendar?day=2036-01-01'

/** Actions by screen, with the required permission. */
const actions: readonly [path: string, what: string, needs: Ability][] = [
  ['/app/home', '[data-testid=sidebar-links] >> text=Compose', 'contribute'],
  [quietCalendar, '[data-ui=header-actions] >> text=New post', 'contribute'],
  ['/app/campaigns', 'text=New campaign', 'contribute'],
  ['/app/campaigns/002demo00000001', '[data-ui=panel-actions] [data-ui=button]', 'approve'],
  ['/app/campaigns/002demo00000001', '[data-testid=campaign-colors]', 'contribute'],
  ['/app/campaigns/002demo00000001', '[data-testid=campaign-part] input[type=date]', 'approve'],
  ['/app/approvals', '[data-ui=tabs] >> text=To decide', 'approve'],
  ['/app/library', 'button:has-text("Upload")', 'contribute'],
  ['/app/library', 'button[aria-label="New folder"]', 'contribute'],
  ['/app/profiles', 'button:has-text("Connect a profile")', 'administer'],
  ['/app/profiles/003-1-2414184', '[data-ui=panel] button:has-text("Delete")', 'administer'],
  ['/app/profiles/003-1-2414184', '[data-ui=panel] button:has-text("Add a time")', 'approve'],
  ['/app/people', 'button:has-text("Invite somebody")', 'administer'],
  ['/app/people?user=00Ademo00000003', '[data-ui=panel] button:has-text("Change the role")', 'administer'],
  ['/app/people?user=00Ademo00000003', '[data-ui=panel] button:has-text("Delete")', 'administer'],
  ['/app/people?user=00Ademo00000003', '[data-ui=panel] input', 'administer'],
  ['/app/people?team=025demo00000001', '[data-ui=panel] button:has-text("Delete the team")', 'administer'],
  ['/app/people?team=025demo00000001', '[data-ui=panel] input', 'administer'],
  ['/app/settings/me', '[data-testid=settings-group]:has-text("Mails") input', 'contribute'],
  ['/app/settings/keys', 'button:has-text("Make a key")', 'read'],
  ['/app/settings/keys', 'text=Show everybody’s', 'administer'],
  ['/app/settings/account', '[data-testid=settings-group] input', 'administer'],
  ['/app/settings/workflows', 'button:has-text("New workflow")', 'administer'],
  ['/app/settings/workflows', '[data-testid=settings-row] [data-testid=actions]', 'administer'],
  ['/app/settings/domains', '[name=cname]', 'administer'],
  ['/app/settings/domains', '[data-testid=settings-group] select', 'administer'],
  ['/app/settings/tags', 'button:has-text("New tag")', 'contribute'],
  ['/app/settings/conversions', 'button:has-text("New conversion tag")', 'administer'],
  ['/app/settings/integrations', 'button:has-text("New integration")', 'administer'],
  ['/app/settings/audit', 'text=Export as CSV', 'administer'],
  ['/app/settings', '[data-testid=settings-nav] >> text=Audit log', 'administer'],
]

/** The roles just above and below a permission: if they are handled correctly, so are the roles beyond them. */
const isClosest = (role: Role, needs: Ability) => {
  const those = roles.filter((one) => may(one, needs) === may(role, needs))
  return role === (may(role, needs) ? those.at(-1) : those[0])
}

test('each role has a subset of the previous role’s abilities', () => {
  for (const [index, role] of roles.entries())
    for (const needs of Object.keys(abilities) as Ability[])
      expect(may(role, needs) || !roles.slice(index).some((lesser) => may(lesser, needs))).toBe(true)
})

test.each(roles)(
  '%s is offered exactly the permitted actions, and no screen requests anything forbidden',
  async (role) => {
    const { page, complaints } = await visitorOf(role)
    const rejected: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) rejected.push(`${response.request().method()} ${response.url()}`)
    })
    const sidebarPaths = await page.$$eval('[data-testid=sidebar-links] a', (links) =>
      links.map((link) => link.getAttribute('href') ?? ''),
    )
    const tested = deep(
      actions.filter(([path, , needs]) => sidebarPaths.includes(path) || isClosest(role, needs)),
      actions,
    )
    const paths = new Set(tested.map(([path]) => path))
    for (const path of paths) {
      await navigate(page, path)
      // All actions of the screen are checked in one visit.
      for (const [, what, needs] of actions.filter((action) => action[0] === path)) {
        const count = () => page.locator(what).count()
        if (may(role, needs)) await expect.poll(count, { message: `${path} ${what}` }).toBeGreaterThan(0)
        else expect(await count(), `${path} ${what}`).toBe(0)
      }
    }
    const visited = new Set([...paths].map((path) => path.replace(/\?.*/, '')))
    for (const path of sidebarPaths)
      if (!visited.has(path)) await navigate(page, path === '/app/calendar' ? quietCalendar : path)
    await leaveScreen(await visitorOf(role))
    expect(rejected).toEqual([])
    expect(complaints).toEqual([])
  },
)

test.each(roles)('the session of %s is rejected by every operation beyond the role', async (role) => {
  const all = operations.filter(({ needs, openly, ownerOf }) => !may(role, needs) && !openly && !ownerOf)
  expect(all.length === 0).toBe(role === 'admin')
  // tests/contract checks each of them with API keys.
  const beyond = deep(
    all.filter(({ needs }) => isClosest(role, needs)),
    all,
  )
  const calls = beyond.map((endpoint) => ({
    route: routeOf(endpoint),
    method: endpoint.method,
    url: addressOf(endpoint, 'absent').replace(/^\/v2/, '/app/api/v2'),
  }))
  const { page } = await visitorOf(role)
  const answers: { route: string; status: number }[] = await page.evaluate(
    `Promise.all(${JSON.stringify(calls)}.map(async ({ route, method, url }) => {
      const headers = { 'x-chorus-console': '1', 'content-type': 'application/json' }
      const { status } = await fetch(url, { method, headers, ...(method !== 'GET' && { body: '{}' }) })
      return { route, status }
    }))`,
  )
  expect(answers.filter(({ status }) => status !== 403)).toEqual([])
})

test('a direct link without permission shows the missing permission and who has it', async () => {
  for (const [role, path, missing] of [
    [
      'publisher',
      '/app/settings/audit',
      'the permission to manage the account, which the role Publisher does not have',
    ],
    ['read', '/app/compose', 'the permission to write and plan, which the role Reader does not have'],
  ] as const) {
    const { page, complaints } = await visitorOf(role)
    complaints.splice(0)
    await navigate(page, path)
    await expect.poll(() => page.textContent('[data-ui=empty-state]')).toContain('Ada Marsh')
    expect(await page.textContent('[data-ui=empty-state]')).toContain(missing)
    expect(complaints).toEqual([])
  }
})

test('an advocate is offered no screens, and home shows why', async () => {
  const admin = await adminOf()
  const vera = { email: 'vera.stein@example.com', password: 'sharing is a habit' }
  const names = { firstName: 'Vera', lastName: 'Stein' }
  const invited = await admin('POST /advocate', { body: { boardId: 'brddemo00000002', email: vera.email, ...names } })
  expect(invited.status, invited.text).toBe(200)
  const token = new URL(await linkMailedTo(vera.email)).searchParams.get('token')
  await admin('POST /app/api/board/invitation', { body: { token, password: vera.password } })
  const advocate = await signedIn(vera)
  visitors.push(advocate)
  expect(await advocate.page.locator('[data-testid=sidebar-links] a').count()).toBe(0)
  expect(await advocate.page.textContent('main')).toContain('which the role Advocate does not have')
  expect(advocate.complaints).toEqual([])
})

/** A post due within the hour, in a campaign visible to all or to one team. */
async function plan(admin: Caller, message: string, teamIds?: string) {
  const campaignId = (await admin('POST /campaign', { body: { name: message } })).json.Campaign.Id as string
  if (teamIds) await admin(`POST /team-entity/${campaignId}`, { body: { teamIds } })
  const written = { campaignId, network: 'LinkedIn', message }
  const messageId = (await admin('POST /message', { body: written })).json.Message.Id
  const credentialIds = (await admin('GET /credential', { query: 'network=LinkedIn' })).json.Items[0].Id
  const startDateTime = Math.floor(Date.now() / 1000) + 1800
  const { status, json } = await admin('POST /post', { body: { messageId, credentialIds, startDateTime } })
  expect(status).toBe(200)
  return { campaignId, postId: json.Post.Id as string }
}

/** The requests a page repeats after a change. */
const recordRequests = ({ page }: Visitor) => {
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/app/api/') && !request.url().includes('/feed')) calls.push(request.url())
  })
  return calls
}

test('accounts and teams never see each other’s content, including live changes', async () => {
  const admin = await adminOf()
  const { url } = visitors[0] ?? (await visitorOf('admin'))
  const otto = { email: 'otto.lind@example.com', password: 'roasted in the harbour' }
  const harbour = caller(url, '001demo00000002', `${sharedKey}-other`)
  await harbour('POST /user/00Ademo00000005', { body: { password: otto.password } })
  const otherUser = await signedIn(otto)
  visitors.push(otherUser)
  const [pablo, rina] = [await visitorOf('publisher'), await visitorOf('read')]
  for (const { page } of [otherUser, pablo, rina]) await navigate(page, '/app/home')
  const requestsOfOther = recordRequests(otherUser)
  const hidden = await plan(admin, 'Only for those of Asia Pacific', '025demo00000002')
  const open = await plan(admin, 'For all of Northwind')
  const sees = ({ page }: Visitor, text: string) => page.isVisible(`[data-testid=home-list] >> text=${text}`)
  // Rina is in that team. Pablo has received a later change, so he would have received this one by now.
  await expect.poll(() => sees(rina, 'Only for those of Asia')).toBe(true)
  for (const one of [rina, pablo]) await expect.poll(() => sees(one, 'For all of Northwind')).toBe(true)
  for (const one of [pablo, otherUser]) expect(await sees(one, 'Only for those of Asia')).toBe(false)
  expect(requestsOfOther, 'another account’s change causes no requests').toEqual([])

  // By id, content of another team or account looks the same as missing content.
  const bodyOf = async ({ page }: Visitor, path: string, id: string) => {
    await navigate(page, path + id)
    return (await page.textContent('main'))?.replaceAll(id, 'ID').replace(/Request id [\w-]+/, '')
  }
  for (const [path, present, absent] of [
    [`${quietCalendar}&post=`, hidden.postId, '004absent000000'],
    ['/app/campaigns/', hidden.campaignId, '002absent000000'],
    ['/app/people?user=', '00Ademo00000001', '00Aabsent000000'],
    ['/app/people?team=', '025demo00000001', '025absent000000'],
    ['/app/profiles/', '003-1-2414184', '003-1-absent'],
  ] as const) {
    const viewer = /calendar|campaigns/.test(path) ? pablo : otherUser
    // Changes of other tests between the two reads are tolerated by retrying.
    const isSame = async () => (await bodyOf(viewer, path, present)) === (await bodyOf(viewer, path, absent))
    await expect.poll(isSame, { message: path }).toBe(true)
  }
  await navigate(otherUser.page, '/app/people')
  expect(await otherUser.page.textContent('[data-ui=table]')).not.toContain('Ada Marsh')

  // The user still receives changes of their own account.
  await navigate(otherUser.page, '/app/people?view=teams')
  const requestsBefore = requestsOfOther.length
  await harbour('POST /team', { body: { name: 'Baristas' } })
  await otherUser.page.waitForSelector('[data-ui=table] >> text=Baristas')
  expect(requestsOfOther.length).toBeGreaterThan(requestsBefore)
  await leaveScreen(rina)
  // Their browsers logged the expected 404 errors, so they are not reused.
  for (const { page } of [otherUser, pablo]) await page.context().close()
  for (const { campaignId } of [hidden, open]) await admin(`DELETE /campaign/${campaignId}`)
})
