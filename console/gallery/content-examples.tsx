import { Avatar, NetworkIcon, networkName, networks, type Status, StatusBadge, StatusIcon } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Diff } from '@/ui/diff.tsx'
import { CopyButton } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Kbd } from '@/ui/kbd.tsx'
import { Detail } from '@/ui/layout.tsx'
import { AccessDenied, EmptyState, ErrorMessage, Loading, Progress } from '@/ui/states.tsx'
import { Example, type ExamplesProps } from './example.tsx'
import * as styles from './gallery.module.css'

const statuses: readonly Status[] = ['planned', 'waiting', 'sent', 'failed', 'unsure', 'draft']

const reader = { ability: 'administer', role: 'read' } as const

export const Appearance = ({ only }: ExamplesProps) => (
  <>
    <Example name="Button" only={only}>
      <Button>Default</Button>
      <Button variant="primary" shortcut="mod+Enter">
        Primary
      </Button>
      <Button variant="ghost" icon="plus">
        Ghost
      </Button>
      <Button variant="danger" icon="trash">
        Danger
      </Button>
      <Button busy>Busy</Button>
      <Button disabledReason="Choose a profile first.">Disabled</Button>
      <LinkButton href="?only=Button">Link</LinkButton>
      <IconButton icon="more" label="More" />
      <CopyButton text="copied text" />
    </Example>
    <Example name="Badges" only={only}>
      {statuses.map((status) => (
        <StatusBadge key={status} status={status} />
      ))}
      {statuses.map((status) => (
        <StatusIcon key={status} status={status} />
      ))}
      {networks.map((network) => (
        <span key={network}>
          <NetworkIcon network={network} /> {networkName(network)}
        </span>
      ))}
      <Avatar name="Ada Marsh" />
      <Kbd keys="g h" />
    </Example>
  </>
)

export const Content = ({ only }: ExamplesProps) => (
  <>
    <Example name="Details" only={only}>
      <dl className={styles.frame}>
        <Detail name="Ends">18 November 2026</Detail>
        <Detail name="Owner">Ada Marsh</Detail>
      </dl>
    </Example>
    <Example name="Diff" only={only}>
      <Diff before="Made for life." now="Made for as long as you hike." />
    </Example>
  </>
)

export const Messages = ({ only }: ExamplesProps) => (
  <>
    <Example name="States" only={only}>
      <div className={styles.frame}>
        <EmptyState icon="campaigns" title="No campaigns yet" action={<Button variant="primary">New campaign</Button>}>
          A campaign groups posts and their results.
        </EmptyState>
      </div>
      <div className={styles.frame}>
        <AccessDenied {...reader} admins={['Ada Marsh']} />
      </div>
      <div className={styles.frame}>
        <ErrorMessage message="The campaign no longer exists." requestId="0f08a016" onRetry={() => {}} />
      </div>
      <div className={styles.frame}>
        <Loading />
      </div>
      <Progress label="Upload" part={0.4} />
      <Progress label="Import" />
      <Icon name="check" />
    </Example>
  </>
)
