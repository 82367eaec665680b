import { contributor, owner, publisher } from '#areas/account/account.demo.ts'
import {
  type DemoItem,
  facebookComment,
  facebookMention,
  facebookMessage,
  instagramComment,
  instagramMention,
  instagramMessage,
  linkedInComment,
  linkedInMention,
  linkedInMessage,
  tikTokComment,
  tikTokMessage,
  xMention,
  xMessage,
  xReply,
  youTubeComment,
} from './demo-item.demo.ts'
import { olderItems } from './older-items.demo.ts'

const [ada, pablo, chidi] = [owner, publisher, contributor]
const closed = { isClosed: true }

/** Tags of demo items by number, from 1. */
export const demoTags = ['Praise', 'Complaint', 'Delivery', 'Product question', 'Press', 'Jobs', 'Returns', 'VIP']

/** Newest first. */
export const demoItems: readonly DemoItem[] = [
  facebookMessage(
    'en',
    'Maeve Doyle',
    'Hi! My order was due on Friday and tracking still says "label printed". Any news?',
    {
      tags: [3],
      assignee: pablo,
      later: [
        ['us', 'Hi Maeve, thanks for asking. I am checking with the carrier and will be back within the hour.'],
        ['note', 'Carrier lost a cage on Thursday, ours is in it. Offer express replacement.'],
        ['they', 'Great, thank you. I leave for the Wicklow Way on Wednesday, so it matters a bit.'],
      ],
    },
  ),
  instagramComment('es', 'Lucía Ferrer', '¿Cuándo vuelve a estar disponible la mochila de 28 litros en verde?', {
    tags: [4],
  }),
  xMention(
    'en',
    'Tom Abara',
    'Third winter with the same @northwindoutdoor shell and it still beads like new. Well done.',
    { tags: [1] },
  ),
  linkedInComment('de', 'Jörg Winkler', 'Starker Bericht. Wie messt ihr den Anteil an wiederverwendeten Materialien?', {
    later: [['Katrin Seidel', 'Das würde mich auch interessieren, gerade für die Füllungen.']],
  }),
  youTubeComment('en', 'GrannyGoesUp', 'At 4:12, which stove is that? My knees are seventy-one and still want to go.', {
    tags: [4],
  }),
  tikTokComment('it', 'Giulia Conti', 'Ma la tenda regge davvero con quel vento?? 😳', {
    later: [['Marco R.', 'Sì, l’ho provata in Abruzzo!']],
  }),
  facebookComment('fr', 'Hélène Marchand', 'Superbe photo ! C’est quel sentier ?', {
    later: [['us', 'Merci Hélène ! C’est la montée vers le lac, côté nord, à faire tôt le matin.']],
  }),
  linkedInMessage(
    'en',
    'Priya Raman',
    'Hello, I write for Trail & Town and would like to talk to someone about your repair vans.',
    {
      tags: [5],
      assignee: ada,
      later: [['note', 'Press. Ada to answer before Tuesday, their deadline is Thursday.']],
    },
  ),
  instagramMessage('ja', '佐藤 美咲', '先週買ったランタンが点きません。交換できますか？', {
    tags: [2, 7],
    assignee: pablo,
  }),
  xReply(
    'en',
    'Devon Pike',
    'Does the sale price count for people who bought on Monday? Asking for a friend. The friend is me.',
    {
      tags: [2],
    },
  ),
  facebookComment('nl', 'Sanne de Wit', 'Wordt er ook naar België verzonden, en wat kost dat dan?', { tags: [3] }),
  tikTokMessage('en', 'kilo.lima', 'can i use the night camp clip in my compilation? i credit everyone', {
    assignee: chidi,
  }),
  linkedInComment('pt', 'Rafael Moura', 'Parabéns à equipa! Têm vagas em Lisboa?', {
    tags: [6],
    later: [['us', 'Obrigada, Rafael! Neste momento só em Madrid, mas novas vagas saem em janeiro.']],
  }),
  youTubeComment('de', 'Bergziege83', 'Der Reißverschluss bei Minute zwei klemmt doch – ist das Absicht?', {
    tags: [2],
  }),
  instagramMention(
    'en',
    'wander.with.wen',
    'Sunrise kit: one flask, one map, one @northwind.outdoor fleece that has seen things.',
    { tags: [1] },
  ),
  xMessage('fr', 'Nadia Benali', 'Bonjour, le code de réduction reçu hier ne fonctionne pas sur les chaussures.', {
    later: [
      [
        'us',
        'Bonjour Nadia, les chaussures en sont exclues, pardon que ce ne soit pas plus clair. Je vous envoie un autre code.',
      ],
      ['they', 'Parfait, ça marche. Merci pour la rapidité !'],
    ],
    ...closed,
  }),
  facebookMention(
    'es',
    'Club Sendero Norte',
    'Gracias a Northwind Outdoor por las bolsas de recogida: 312 kilos de basura menos en el monte.',
    {
      tags: [1],
    },
  ),
  linkedInMention(
    'en',
    'Ingrid Solberg',
    'Loved the panel with Northwind Outdoor on repair as a service. Slides anywhere?',
    { assignee: ada },
  ),
  instagramComment('en', 'theo_outside', 'That ridge!! Where??', {
    later: [['ana.paints', 'Pretty sure it is the one behind the dam.']],
  }),
  tikTokComment('en', 'not.a.goat', 'the goat at 0:07 works for you now, i do not make the rules', { tags: [1] }),
  facebookMessage('de', 'Uwe Brandt', 'Guten Tag, ich möchte die Stiefel zurückgeben, finde aber das Formular nicht.', {
    tags: [7],
    assignee: pablo,
    later: [
      [
        'us',
        'Guten Tag Herr Brandt, gern: Das Formular liegt im Konto unter Bestellungen. Soll ich es Ihnen schicken?',
      ],
    ],
  }),
  xMention('ja', '山田 健', '@northwindoutdoor のテント、設営が本当に三分でした。', { tags: [1] }),
  youTubeComment('es', 'Montaña y Pan', 'Gran vídeo. ¿Habrá subtítulos en español para la serie completa?'),
  linkedInComment('en', 'Marcus Hale', 'Respectfully, calling it carbon neutral because of offsets is a stretch.', {
    tags: [2],
    assignee: ada,
    later: [
      ['Ingrid Solberg', 'Fair point, although the report says offsets are a fifth of it.'],
      ['note', 'Do not argue. Link the appendix with the method, page 14.'],
    ],
  }),
  instagramMessage('pt', 'Beatriz Nunes', 'Olá! O saco-cama serve para uma pessoa de 1,92 m?', { tags: [4] }),
  facebookComment(
    'en',
    'Colm Hanley',
    'Ordered twice, wrong size twice. Size chart on the site is simply wrong for the hiking trousers.',
    {
      tags: [2, 7],
      assignee: pablo,
      later: [
        [
          'us',
          'That is on us, Colm, sorry. Could you send us a message with the order number? We will put it right today.',
        ],
        ['Colm Hanley', 'Sent.'],
      ],
    },
  ),
  xReply('it', 'Paolo Greco', 'Quindi il negozio di Torino apre o no? La data è cambiata tre volte.', { tags: [2] }),
  tikTokComment('fr', 'mathilde.en.vrac', 'le bruit du réchaud c’est ma thérapie', closed),
  linkedInMessage(
    'de',
    'Svenja Krüger',
    'Guten Morgen, wir richten im Mai eine Messe in Köln aus und hätten noch einen Platz. Interesse?',
    {
      assignee: ada,
    },
  ),
  youTubeComment('nl', 'Fiets & Tent', 'Past die voortas ook op een vouwfiets?', { tags: [4] }),
  ...olderItems,
]
