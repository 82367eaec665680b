/** What areas tell each other of and nobody else: webhooks have no event for it. Plain values only, as a reaction may come later and elsewhere. */
export interface InnerEvents {
  /** Nothing can be done in the profile's name any more. */
  profileDeleted: { credentialId: string }
  /** A message says something else now; whether whoever changed it may let content out. */
  messageChanged: { messageId: string; mayApprove: boolean }
  /** A page has told, for the first time, who converted: the address in small letters. */
  conversionIdentified: { clickId: string; conversionTagId: string; email: string }
  /** Somebody came in by a link that was mailed to them: the address is theirs. */
  cameByLink: { userId: string }
  /** There is a new account. */
  accountCreated: Record<string, never>
  userDeleted: { userId: string }
}
