import { escaped, htmlPage } from '#kernel/http/route/page.ts'
import type { Grant } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'

export const donePage = (network: Network, kept: readonly Grant[]) =>
  kept.length === 0
    ? htmlPage('Nothing was connected', `<p>No ${network} profile was chosen. You can close this window.</p>`)
    : htmlPage('Connected', `${nameList(kept)}<p>You can close this window.</p>`)

export const choicePage = (network: Network, kept: readonly Grant[], offer: { id: string; grants: readonly Grant[] }) =>
  htmlPage(
    `Which ${network} profiles shall be connected?`,
    `${kept.length > 0 ? `<p>Connected already, and renewed:</p>${nameList(kept)}` : ''}
<form method="post" action="/app/connect/${network}/choice">
<input type="hidden" name="offer" value="${escaped(offer.id)}">
<ul>${offer.grants.map((grant) => `<li>${checkbox(grant)}</li>`).join('\n')}</ul>
<button>Connect</button>
</form>`,
  )

const nameList = (grants: readonly Grant[]) =>
  `<ul>${grants.map((grant) => `<li>${escaped(grant.name)} <small>${escaped(grant.username)}</small></li>`).join('\n')}</ul>`

const checkbox = ({ remoteId, name, username, kind, picture }: Grant) =>
  `<label><input type="checkbox" name="profiles[]" value="${escaped(remoteId)}" checked>${
    picture ? `<img src="${escaped(picture)}" alt="">` : ''
  }<span>${escaped(name)} <small>${escaped(username)}, ${kind}</small></span></label>`
