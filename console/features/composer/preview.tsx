import { memo, type ReactNode, useId, useMemo, useState } from 'react'
import { firstCommentNetwork } from '#networks/content/content-check.ts'
import { urlsIn } from '#networks/content/text-urls.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { useApiQuery, useDebounced } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import * as badgesStyles from '@/ui/badges.module.css'
import { Avatar, NetworkIcon, networkName } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Field } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { ScrollArea } from '@/ui/layout.tsx'
import {
  type Attached,
  type Card,
  type Change,
  type Composition,
  isImage,
  mediaOn,
  type Profile,
  pictureOf,
  textOn,
} from './composition.ts'
import * as styles from './preview.module.css'
import * as textEditorStyles from './text-editor.module.css'
import { ColoredText, highlighted } from './text-editor.tsx'
import { cardOn, type ValidationResult } from './validation.ts'

/** Length after which each network truncates a text. */
const truncateAfter: { readonly [network in Network]: number } = {
  Facebook: 480,
  Instagram: 125,
  LinkedIn: 210,
  Twitter: 280,
  YouTube: 160,
  TikTok: 100,
}

interface PreviewsProps {
  current: Network | 'all'
  networks: readonly Network[]
  composition: Composition
  profiles: readonly Profile[]
  verdicts: readonly ValidationResult[]
}

/** One preview per network, the one being edited first. */
export function Previews({ current, networks, composition, profiles, verdicts }: PreviewsProps) {
  const id = useId()
  return (
    <ScrollArea className={styles.previews} labelledBy={id}>
      <h2 id={id} className="visually-hidden">
        {texts.composer.previews}
      </h2>
      {networks.length === 0 && <p className="muted">{texts.composer.previewsLater}</p>}
      {(current === 'all' ? networks : [current, ...networks.filter((one) => one !== current)]).map((network) => {
        const profile = profiles.find((one) => one.Network === network)
        if (!profile) return null
        return (
          <Preview
            key={network}
            {...{ network, profile, title: composition.title }}
            text={textOn(composition, network)}
            media={mediaOn(composition, network)}
            card={cardOn(composition, network)}
            comment={network === firstCommentNetwork ? composition.comment : ''}
            problems={verdicts.find((one) => one.network === network)?.problems ?? noProblems}
          />
        )
      })}
    </ScrollArea>
  )
}

const noProblems: readonly string[] = []

interface PreviewProps {
  network: Network
  profile: Profile
  text: string
  title: string
  media: readonly Attached[]
  card: Card | null
  comment: string
  problems: readonly string[]
}

/** Approximates the network: names, line breaks, truncation, short links and media, but not its visual design. */
const Preview = memo((props: PreviewProps) => {
  const { network, profile, text, title, media, card, comment, problems } = props
  const shown = <PreviewMedia {...{ network, media, text, card }} />
  const rendered = <PreviewText {...{ network, text }} />
  const { limits } = manifestOf(network)
  return (
    <article
      data-testid="preview"
      className={styles.preview}
      aria-label={texts.composer.previewOn(networkName(network))}
    >
      <header className={styles.head}>
        <Picture profile={profile} />
        <span className={styles.names}>
          <strong dir="auto">{profile.DisplayName}</strong>
          <small dir="auto">{network === 'Twitter' ? `@${profile.NetworkUsername}` : networkName(network)}</small>
        </span>
        <NetworkIcon network={network} label />
      </header>
      {limits.needsMedia ? (
        <>
          {shown}
          {title && limits.title && (
            <p className={styles.title} dir="auto">
              {title}
            </p>
          )}
          {rendered}
        </>
      ) : (
        <>
          {rendered}
          {shown}
        </>
      )}
      {comment && (
        <p className={styles.comment} dir="auto">
          <span className="muted">{texts.composer.firstComment}</span>
          <br />
          {comment}
        </p>
      )}
      {problems.length > 0 && (
        <ul className={styles.problems}>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </article>
  )
})

function PreviewText({ network, text }: { network: Network; text: string }) {
  const [isExpanded, setIsExpanded] = useState(false)
  const shorten = useShortLinks()
  const { parts, isCut } = truncate(text, shorten, truncateAfter[network])
  const isFolded = isCut && !isExpanded
  return (
    <p className={styles.text} dir="auto">
      {text ? (
        isFolded ? (
          parts
        ) : (
          <ColoredText text={text} shown={shorten} />
        )
      ) : (
        <span className="muted">{texts.composer.nothingWritten}</span>
      )}
      {isFolded && (
        <>
          …{' '}
          <button type="button" data-testid="preview-more" className={styles.more} onClick={() => setIsExpanded(true)}>
            {texts.composer.more}
          </button>
        </>
      )}
    </p>
  )
}

/** The truncated text as displayed; URLs are not split. */
function truncate(text: string, shorten: (part: string) => string, limit: number) {
  let left = limit
  const parts: ReactNode[] = []
  for (const [index, part] of text.split(highlighted).entries()) {
    if (left <= 0) return { parts, isCut: true }
    const isSpecial = index % 2 === 1
    const rendered = isSpecial ? shorten(part) : part
    if (rendered.length > left && isSpecial) return { parts, isCut: true }
    const shown = rendered.length > left ? rendered.slice(0, left).trimEnd() : rendered
    parts.push(isSpecial ? <em key={index}>{shown}</em> : shown)
    if (shown !== rendered) return { parts, isCut: true }
    left -= rendered.length
  }
  return { parts, isCut: false }
}

/** Images, a video, a document, or the link card of the first URL. */
function PreviewMedia({
  network,
  media,
  text,
  card,
}: Pick<PreviewProps, 'network' | 'media' | 'text' | 'card'>): ReactNode {
  const { limits, capabilities } = manifestOf(network)
  const url = media.length === 0 && capabilities.link !== 'no' ? firstUrl(text) : ''
  const page = useLinkPreview(card ? '' : url)
  if (media.length > 0) {
    const shownMedia = media.slice(0, 4)
    return (
      <ul className={styles.media} data-count={shownMedia.length}>
        {shownMedia.map((file, index) => (
          <li key={file.Id}>
            {isImage(file) ? (
              <img src={pictureOf(file)} alt={file.Description} />
            ) : (
              <span className={styles.file}>
                <Icon name={file.Type === 'Video' ? 'film' : 'document'} />
                <span dir="auto">{file.Name}</span>
              </span>
            )}
            {index === 3 && media.length > 4 && <span className={styles.rest}>+{media.length - 4}</span>}
          </li>
        ))}
      </ul>
    )
  }
  if (limits.needsMedia)
    return (
      <p className={styles.placeholder}>
        {limits.images.max > 0 ? texts.composer.mediaHere : texts.composer.videoHere}
      </p>
    )
  if (card) return <LinkCard url={card.url} title={card.title} description={card.description} />
  if (page?.Title) return <LinkCard url={page.Url} title={page.Title} description={page.Description} />
  return null
}

const LinkCard = ({ url, title, description }: { url: string; title: string; description: string }) => (
  <div className={styles.card}>
    <small>{hostOf(url)}</small>
    <strong dir="auto">{title}</strong>
    {description && <span dir="auto">{description}</span>}
  </div>
)

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

function Picture({ profile: { Id, DisplayName, HasPicture } }: { profile: Profile }) {
  const [hasLoaded, setHasLoaded] = useState(HasPicture === 1)
  return hasLoaded ? (
    <img
      data-ui="avatar"
      className={badgesStyles.avatar}
      src={`/app/api/picture/profile/${encodeURIComponent(Id)}`}
      alt=""
      onError={() => setHasLoaded(false)}
    />
  ) : (
    <Avatar name={DisplayName} />
  )
}

interface LinkCardFieldsProps {
  text: string
  card: Card | null
  change: Change
}

/** Link card fields: the page's own metadata, or custom text. */
export const LinkCardFields = memo(({ text, card, change }: LinkCardFieldsProps) => {
  const url = useMemo(() => firstUrl(text), [text])
  const page = useLinkPreview(card?.url ?? url)
  if (card)
    return (
      <section className={styles.linkCard} aria-label={texts.composer.card}>
        <Field
          label={texts.composer.cardTitle}
          value={card.title}
          onChange={(title) => change({ card: { ...card, title } })}
        />
        <Field
          label={texts.composer.cardDescription}
          value={card.description}
          onChange={(description) => change({ card: { ...card, description } })}
        />
        <Field
          label={texts.composer.cardImage}
          type="url"
          value={card.imageUrl}
          onChange={(imageUrl) => change({ card: { ...card, imageUrl } })}
          hint={texts.composer.cardHint}
        />
        <Button variant="ghost" onClick={() => change({ card: null })}>
          {texts.composer.cardOff}
        </Button>
      </section>
    )
  if (!url) return null
  return (
    <p className={styles.linkCardOffer}>
      <span className="muted" dir="auto">
        {page ? page.Problem || texts.composer.page(page.Title || page.Url) : texts.composer.lookingAtPage}
      </span>
      {page && (
        <button
          type="button"
          className={textEditorStyles.plainLink}
          onClick={() =>
            change({
              card: { url: page.Url || url, title: page.Title, description: page.Description, imageUrl: page.ImageUrl },
            })
          }
        >
          {texts.composer.cardOn}
        </button>
      )}
    </p>
  )
})

/** The first full URL of a text. */
export function firstUrl(text: string): string {
  for (const { from, to, hasScheme } of urlsIn(text)) if (hasScheme) return text.slice(from, to)
  return ''
}

/** Metadata of a page; fetched after the user stops typing. */
export function useLinkPreview(url: string) {
  const settled = useDebounced(url, 700)
  const { data } = useApiQuery('GET /link-preview', { url: settled }, { enabled: settled !== '', keepPrevious: false })
  return settled === '' ? undefined : data?.Preview
}

/** Displays URLs as short links; the real hash is created at publishing time. */
export function useShortLinks(): (part: string) => string {
  const { data } = useApiQuery('GET /link-settings', {})
  const base = data?.LinkSettings.ShortUrl ?? ''
  return (part) => (base && /^https?:/.test(part) ? `${base.replace(/^https?:\/\//, '')}/••••••••` : part)
}
