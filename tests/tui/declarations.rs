//! The declaration of a dialect beside the text of a playground: what is typed in it is read at once, as the text is.

use super::player::Player;

#[test]
fn look() {
    let text = "Hi.\n<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>\n";
    for size in [(80, 24), (120, 40)] {
        let mut player = Player::playing(text, size);
        println!("{}", player.screen());
        player.press("Esc c I");
        println!("{}", player.screen());
        player.press("x");
        println!("{}", player.screen());
        player.press("F2");
        println!("{}", player.screen());
        player.press("Esc p");
        println!("{}", player.screen());
        player.press("e e");
        println!("{}", player.screen());
        player.press("a");
        println!("{}", player.screen());
    }
}
