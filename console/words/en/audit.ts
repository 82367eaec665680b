/** Of the settings the audit log. */
export const audit = {
  when: 'When',
  who: 'Who',
  what: 'What',
  ofWhat: 'Of what',
  via: 'By',
  fromWhere: 'From where',
  from: 'From',
  until: 'Until',
  about: 'About',
  anId: 'Paste an id',
  operation: 'Operation',
  fields: 'What was given',
  howManyThings: 'How many',
  operator: 'The operator',
  refusedDeed: 'Refused:',
  export: 'Export as CSV',
  auditZone: (zone: string) => `Times of ${zone}`,
  noDeeds: 'Nobody did anything that fits these filters',
  vias: {
    key: 'API key',
    session: 'Console',
    password: 'Password',
    link: 'Link',
    operator: 'Command line',
  },
  deedGroups: {
    signIns: 'Signing in',
    people: 'People and teams',
    keys: 'API keys',
    posts: 'Posts and messages',
    approvals: 'Approvals',
    profiles: 'Profiles',
    webhooks: 'Webhooks',
  },
  /** In words where there are some, else as it is written. */
  deed: (operation: string) => {
    const known = deeds[operation.replace('/app/api', '')]
    if (known) return known
    const [, method = '', thing = '', rest = ''] =
      /^(POST|PUT|DELETE) (?:\/app\/api)?\/([\w-]+)(.*)$/.exec(operation) ?? []
    if (!method || (rest !== '' && !/^\/\{\w+\}$/.test(rest))) return operation
    const verb = method === 'DELETE' ? 'Deleted' : rest === '' && method === 'POST' ? 'Made' : 'Changed'
    return `${verb}: ${thing.replaceAll('-', ' ')}`
  },
}

const deeds: { [operation: string]: string } = {
  'POST /session': 'Signed in',
  'DELETE /session': 'Signed out',
  'DELETE /session/{id}': 'Ended a sign-in',
  'DELETE /sessions': 'Ended all other sign-ins',
  'POST /password': 'Changed the password',
  'POST /password-reset/choice': 'Chose a new password by a link',
  'POST /invitation': 'Invited somebody',
  'POST /invitation/{id}/send': 'Sent an invitation again',
  'POST /invitation/{id}/link': 'Made a link for an invitation',
  'DELETE /invitation/{id}': 'Withdrew an invitation',
  'POST /invitation/choice': 'Accepted an invitation',
  'POST /board/invitation': 'Accepted an invitation to a board',
  'POST /board/entry': 'Signed in to a board by a link',
  'POST /user/{id}/role': 'Changed a role',
  'POST /user/{id}/media-library': 'Changed who manages the library',
  'POST /me': 'Changed their own name or zone',
  'POST /account': 'Renamed the account',
  'POST /team-entity/{entityId}': 'Put something into teams',
  'DELETE /team-entity/{entityId}': 'Took something from teams',
  'POST /api-key': 'Made an API key',
  'DELETE /api-key/{id}': 'Revoked an API key',
  'POST /compose': 'Composed posts',
  'POST /post': 'Planned a post',
  'POST /post/{id}/change-campaign': 'Moved a post to another campaign',
  'POST /post/{id}/repair': 'Sent or dropped a late post',
  'POST /postlog/{id}/repair': 'Repaired a failed post',
  'POST /workflow-item': 'Sent something to approval',
  'POST /workflow-item/{id}': 'Decided on an approval',
  'POST /workflow-items': 'Decided on several approvals',
  'DELETE /workflow-item/{id}': 'Took something out of approval',
  'POST /notification': 'Chose their mails',
  'POST /calendar-key': 'Made an address for other calendars',
  'DELETE /calendar-key': 'Removed the address for other calendars',
  'POST /webhook/{id}/rotate-secret': 'Gave a webhook a new secret',
  'POST /connect-offer/{id}': 'Connected profiles',
  'GET /app/connect/{network}/callback': 'Connected a profile',
}
