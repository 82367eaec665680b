import { profileRules } from '#networks/connector/connector.ts'
import { defaultOptions, type NetworkManifest, type ProfileKind, scopesOf } from '#networks/connector/manifest.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'

/** One configuration of an app, and one role of the user who connects a profile with it. */
export interface Setup {
  network: Network
  /** How the app is set up. */
  recipe: string
  /** The role of the user for the profile. */
  role: string
  kind: ProfileKind
  /** Settings of the app that differ from the defaults. */
  options?: { readonly [option: string]: string }
  /** The requested scopes, if not the default: the name of a preset, or omitted scopes. */
  preset?: string
  omitted?: readonly string[]
  /** Scopes that the user unticks in the network's dialog. */
  unticked?: readonly string[]
  /** Scopes that the user's tasks do not allow. */
  lost?: readonly string[]
  /** The plan, tasks or role of the profile in the sandbox. */
  sandbox?: { tier?: string; tasks?: readonly string[]; role?: string }
  /** The owner's plan or role as reported by the login. */
  tier?: string
  /** The network does not offer the profile to this user. */
  isNotOffered?: true
}

const facebookPage = { network: 'Facebook', recipe: 'Pages', kind: 'page' } as const
const engagement = 'pages_manage_engagement'

const facebook: Setup[] = [
  { ...facebookPage, role: 'every task' },
  {
    ...facebookPage,
    role: 'MODERATE, MESSAGING, ANALYZE',
    lost: ['pages_manage_posts'],
    sandbox: { tasks: ['MODERATE', 'MESSAGING', 'ANALYZE'] },
  },
  {
    ...facebookPage,
    role: 'CREATE_CONTENT, ANALYZE',
    lost: [engagement, 'pages_messaging'],
    sandbox: { tasks: ['CREATE_CONTENT', 'ANALYZE'] },
  },
  {
    ...facebookPage,
    role: 'ANALYZE',
    lost: ['pages_manage_posts', engagement, 'pages_messaging'],
    sandbox: { tasks: ['ANALYZE'] },
  },
  { ...facebookPage, role: 'every task, comments and messages unticked', unticked: [engagement, 'pages_messaging'] },
  { ...facebookPage, role: 'no task', sandbox: { tasks: ['NONE'] }, isNotOffered: true },
]

const ownLogin = { network: 'Instagram', recipe: 'Instagram Login', kind: 'account' } as const
const pageLogin = {
  network: 'Instagram',
  recipe: 'Facebook Login',
  kind: 'account',
  options: { login: 'facebook' },
} as const

const instagram: Setup[] = [
  { ...ownLogin, role: 'all allowed' },
  { ...ownLogin, role: 'publishing unticked', unticked: ['instagram_business_content_publish'] },
  { ...ownLogin, role: 'comments unticked', unticked: ['instagram_business_manage_comments'] },
  { ...pageLogin, role: 'every task on the page' },
  {
    ...pageLogin,
    role: 'MODERATE on the page',
    lost: ['instagram_content_publish'],
    sandbox: { tasks: ['MODERATE', 'ANALYZE'] },
  },
  {
    ...pageLogin,
    role: 'comments and deletions unticked',
    unticked: ['instagram_manage_comments', 'instagram_manage_contents'],
  },
]

const linkedInApp = (recipe: string, preset: string, options: Setup['options'] = {}) => ({
  page: { network: 'LinkedIn', recipe, preset, options, kind: 'page' } as const,
  member: { network: 'LinkedIn', recipe, preset, options, kind: 'member', role: 'member' } as const,
})
const withoutMessages = { sandbox: { tier: 'self-serve' } }
const administrator = { role: 'administrator', tier: 'ADMINISTRATOR' }
const editor = { role: 'content administrator', tier: 'CONTENT_ADMINISTRATOR' }
const asEditor = { ...editor, sandbox: { tier: 'self-serve', role: 'CONTENT_ADMINISTRATOR' } }
const community = linkedInApp('Community Management', 'community-management')
const partner = linkedInApp('Community Management, messages', 'community-management', { messages: 'yes' })
const share = linkedInApp('Share and OpenID', 'share')
const advertising = linkedInApp('Share, OpenID and Advertising', 'share-advertising')

const linkedIn: Setup[] = [
  { ...community.page, ...administrator, ...withoutMessages },
  { ...community.page, ...asEditor },
  { ...community.page, role: 'analyst', sandbox: { tier: 'self-serve', role: 'ANALYST' }, isNotOffered: true },
  { ...community.member, ...withoutMessages },
  { ...partner.page, ...administrator },
  { ...partner.member },
  { ...share.member, ...withoutMessages },
  { ...advertising.page, ...administrator, ...withoutMessages },
  { ...advertising.page, ...asEditor },
  { ...advertising.member, ...withoutMessages },
]

const xAccount = { network: 'Twitter', kind: 'account' } as const
const selfServe = { ...xAccount, recipe: 'self-serve', options: { tier: 'self-serve' } }
const enterprise = { ...xAccount, recipe: 'enterprise', options: { tier: 'enterprise' } }

const x: Setup[] = [
  { ...selfServe, role: 'standard', sandbox: { tier: 'self-serve' } },
  { ...selfServe, role: 'premium', tier: 'premium', sandbox: { tier: 'self-serve premium' } },
  { ...enterprise, role: 'standard' },
  { ...enterprise, role: 'premium', tier: 'premium', sandbox: { tier: 'premium' } },
  {
    ...enterprise,
    recipe: 'enterprise, text only',
    role: 'standard',
    omitted: ['media.write', 'dm.read', 'dm.write', 'like.write'],
  },
]

const channel = { network: 'YouTube', recipe: 'audited or not', kind: 'channel' } as const

const youTube: Setup[] = [
  { ...channel, role: 'all allowed' },
  { ...channel, role: 'uploads are private', sandbox: { tier: 'private-uploads' } },
  { ...channel, role: 'comments unticked', unticked: ['youtube.force-ssl'] },
  { ...channel, role: 'only reading', unticked: ['youtube.force-ssl', 'youtube.upload'] },
]

const tikTokAccount = { network: 'TikTok', recipe: 'Business', kind: 'account' } as const

const tikTok: Setup[] = [
  { ...tikTokAccount, role: 'public account' },
  { ...tikTokAccount, role: 'private account', sandbox: { tier: 'private' } },
  { ...tikTokAccount, role: 'account without comments', sandbox: { tier: 'no-comments' } },
  { ...tikTokAccount, role: 'publishing unticked', unticked: ['video.publish'] },
  { ...tikTokAccount, role: 'comments unticked', unticked: ['comment.list.manage'] },
]

export const setups: readonly Setup[] = [...facebook, ...instagram, ...linkedIn, ...x, ...youTube, ...tikTok]

/** The options of the app, including defaults. */
export const optionsOf = ({ network, options }: Setup) => ({ ...defaultOptions(manifestOf(network)), ...options })

/** The scopes that the app requests. */
export function requestedScopes(setup: Setup): readonly string[] {
  const manifest: NetworkManifest = manifestOf(setup.network)
  const preset = setup.preset === undefined ? undefined : manifest.login.scopePresets?.[setup.preset]?.scopes
  const requested = preset ?? scopesOf(manifest, { options: optionsOf(setup) })
  return requested.filter((scope) => !setup.omitted?.includes(scope))
}

export const grantedScopes = (setup: Setup): string[] =>
  requestedScopes(setup)
    .filter((scope) => !setup.unticked?.includes(scope) && !setup.lost?.includes(scope))
    .map((scope) => writtenScope(setup.network, scope))

/** Google writes scopes as URLs. */
export const writtenScope = (network: Network, scope: string) =>
  network === 'YouTube' ? `https://www.googleapis.com/auth/${scope}` : scope

/** The capabilities of the profile according to the manifest. */
export function rulesFor(setup: Setup) {
  const { network, kind, tier } = setup
  const facts = { kind, tier, secret: { scopes: grantedScopes(setup) } }
  return profileRules(manifestOf(network), { options: optionsOf(setup) }, facts)
}
