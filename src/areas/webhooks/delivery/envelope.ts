/** What is sent: the same bytes at every attempt. */
export function envelope({ type, created, data }: { type: string; created: Date; data: string }, webhookId: string) {
  const seconds = Math.floor(created.getTime() / 1000)
  // The data is JSON already; parsing it only to write it again would cost more than everything else here.
  return `{"event":${JSON.stringify(type)},"timestamp":${seconds},"webhookId":${JSON.stringify(webhookId)},"data":${data}}`
}
