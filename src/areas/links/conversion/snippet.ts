import type { Context } from '#kernel/context.ts'

/**
 * What is to be pasted into the page that somebody reaches when they convert. It calls the domain that the account's links stand
 * under, because a visitor's cookie goes nowhere else.
 */
export async function snippetOf(context: Context, tagId: string): Promise<string> {
  const { host, clickParameter } = await linksOfAccount(context)
  const base = host ? `https://${host}` : context.shortUrl
  const parameter = clickParameter && clickParameter !== 'click' ? ` data-parameter="${escaped(clickParameter)}"` : ''
  return [
    `<script async src="${escaped(base)}/conversion.js" data-tag="${tagId}"${parameter}></script>`,
    `<noscript><img src="${escaped(base)}/conversion.gif?tag=${tagId}" width="1" height="1" alt=""></noscript>`,
  ].join('\n')
}

async function linksOfAccount({ db, accountId }: Context) {
  const settings = await db
    .selectFrom('linkSettings')
    // One that is not served at the moment would answer nobody.
    .leftJoin('shortHosts', (join) =>
      join
        .onRef('shortHosts.cname', '=', 'linkSettings.cnameId')
        .onRef('shortHosts.account', '=', 'linkSettings.accountId'),
    )
    .select(['linkSettings.clickParameter', 'shortHosts.host'])
    .where('linkSettings.accountId', '=', accountId)
    .where('linkSettings.campaignId', '=', '')
    .executeTakeFirst()
  return { host: settings?.host, clickParameter: settings?.clickParameter }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
