/// The words of generated secrets: 1,024, so that each stands for 10 bits.
///
/// They were chosen for this program: common, three to seven letters long, easy to spell, and few that sound alike.
enum WordList {
  /// In alphabetical order.
  static let words = text.split { $0 == " " || $0 == "\n" }.map(String.init)

  private static let text = """
    acorn acre actor adapt adobe advice affair agenda agree ahead alarm album alert alley almond alpine amber
    anchor angle ankle answer antler anvil apple apron arcade arch arena argue armor arrow artist aspen atlas
    attic autumn avenue award awning axis bacon badge bagel bakery ballad ballet bamboo banana banjo banner
    barber barley barn baron barrel basil basin basket beacon beagle beam bean bear beaver beetle begin bellow
    belt bench berry bingo bishop bison bistro blazer blend blink block bloom blouse blue bluff boat bobcat
    bonnet bonus border botany bottle bounce bowl boxer braid branch brass brave breeze brick bright bronze
    brook broom brush bubble bucket buckle budget bugle bulb bundle bunny burger burrow butter button buzzer
    cabin cable cactus cadet cafe cake calm camel camera camp canal canary candle canoe canvas canyon carbon
    cargo carpet carrot carve cashew castle cattle cavern cedar celery cello cement center chain chalk chapel
    charm chart cheek cheese chef cherry chess chest chief chin chisel cider cinema circle circus citrus city
    clamp clay clerk clever cliff clinic clock cloth cloud clover coach cobalt cobra cocoa coffee coin collar
    column comet comic condor cone copper coral cork corner cosmic cotton cougar couple cover cowboy coyote
    crane crater crayon cream creek crisp crocus crowd crown cruise crumb cube cuddle curly curtain cycle cymbal
    daily dairy daisy dance daring dawn debate decade decent decoy degree delta demand depth deputy desk detail
    device diary diesel digit dinner direct disc dish ditch diver doctor domain donkey donor door double dragon
    drama drawer dream dress drift drill drink driver drum duck dune dust dynamo eager eagle early earth easel
    east echo edge editor effort elbow elder elk elm ember emblem empire empty enamel energy engine enjoy entry
    equal errand escape essay estate event exact exit expert express extra fable fabric factor factory falcon
    family famous fancy farmer father faucet fence fern ferry fiber fiddle field figure filter finale finger
    finish flag flame flavor fleet flight float flock floor flora fluent flute foam focus foil folder forest
    fork forum fossil fox frame freeze fresh friend frog frost fruit fudge funnel future gadget galaxy gallon
    game garage garden garlic gather genius gentle giant gift ginger glad glance glass glider globe glove glow
    goat goblet golden golf goose gospel grain grape graph grass gravel green greet grill group grove guard
    guava guide guitar gull gutter habit half hammer handle hangar happy harbor harp hatch hawk hazel health
    heart heaven hedge helmet herald herb hero heron hiker hill hinge hippo hobby hockey hollow honest honey
    hood hoof hornet hotel hover hubcap human humble hunter hurdle husky hybrid icicle icon idea igloo image
    inch index indigo ink inlet input insect inside invent invite iris iron island item ivory ivy jacket jaguar
    jam jargon jaunt jazz jelly jersey jester jetty jewel jigsaw jockey jogger joint joker judge juggle juice
    jumbo jungle junior jury karate kayak keeper kelp kennel kettle kimono kind kiosk kite kitten kiwi knee
    koala label lace ladder lagoon lake lamb laptop larch lasso latch laurel lava lawn layer leader leaf league
    ledge legend lemon lesson letter lever lichen lilac lily limb lime linen lion liquid listen lizard llama
    loaf lobby local locker locket logic lotus lounge loyal lucky lumber lunar lunch lute luxury lyric magic
    magnet magpie maple marble margin marina market marmot maroon marsh mascot mason meal melody melon member
    memory mentor menu merry meteor method metro milk mill mimic minnow minute miracle mirror mitten mixer
    mobile model modern module mole moment monkey month moose mosaic moss mother motor mouse muffin muscle
    museum music myth napkin narrow nation native nature nebula nectar needle nest nickel nimble noble nomad
    noodle normal north novel nugget number nutmeg nylon oak oasis object oboe ocean octagon office olive omega
    omelet onion onyx opal open opera orange orbit orchid organ origin osprey otter outfit oval oven owl oyster
    paddle page pagoda paint palace palm panda panel papaya paper parade parcel park parrot pasta pastel patch
    patio patrol peace peach peanut pebble pedal pencil penguin pepper petal phone photo piano picnic pigeon
    pillow pilot pine pirate pixel pizza planet plank plant plate plaza plenty pocket podium poet polar polite
    polka pollen pond pony poplar poppy porch portal potato powder prism prize proof proud public puffin pulley
    pulse puma puppet purple puzzle quail quarry quartz queen quest quick quiet quill quilt quiver quiz quota
    rabbit racket radar radio radish raft rain raisin ramp ranch random ranger rapid raven ravine realm recipe
    record reef regal region relay relic remedy repair rescue resort result retail return reward rhythm ribbon
    rice ridge river roast robin robot rocket rodeo roof rope rose rotate round royal rubber ruby rudder rug
    ruler rumor runner rural rustic sable saddle safari sage sailor salad salmon salon salsa salute sample
    sandal satin sauce sauna scale scarf scenic school scout scroll season seed senate senior sequel series
    sesame settler shadow shark shed sheep shield shore shovel shrimp sienna signal silver simple siren sister
    skater sketch skill skunk sleet sleeve slogan smile smooth snail sneaker snow soap soccer socket sofa soil
    solar solid sonnet soup source south spark sparrow spear sphere spice spider spiral spoke sponge spoon sport
    spring spruce square squash squid stable staple statue steam stone stork story stove straw stream street
    stripe studio sturdy subway sugar summer summit sunset supper surf swamp swan swift swing switch sword
    symbol syrup system table tablet tailor talent tango tanker target tavern taxi teapot temple tennis tent
    theory thread throne ticket tiger timber tinsel toast toffee token tomato tonic topaz torch totem toucan
    towel tower toy trader traffic trail train travel treaty trend tribe trick trio tripod trophy trout truck
    trust tulip tundra tunnel turban turkey turtle tutor tuxedo twig twin uncle union unique united upper useful
    valley valve vapor vault velvet vendor verse video village vinyl viola violet violin vision vista vivid
    vocal voice volcano volume voyage waffle wagon waiter walnut walrus waltz wander water wave wealth weasel
    weaver west wheat wheel white wicker wild willow window winter wisdom wizard wolf wombat wonder wood wool
    world wreath writer yacht yard yarn yeast yellow yoga yogurt young zebra zenith zephyr zero zigzag zinc
    zipper zodiac zone
    """
}
